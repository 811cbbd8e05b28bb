import { chmod, cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { decodeHere } from '../media/testing/decode-here.ts';
import { type EncodedVideo, makeVideo } from '../media/video/video.ts';
import { PARTIAL_PLAYLIST, type Size } from '../server/contract/media.ts';
import { findFfmpegBinaries } from '../server/runtime/ffmpeg-binaries.ts';
import { drawThumbnail, record } from './clip/record.ts';

/**
 * Makes the landing page's clip: draws it, then passes it through the media pipeline like an upload. The
 * result is kept in the repository, because a build has no ffmpeg. The clip is the project's own work,
 * under the project's licence.
 */
const CLIP = join(import.meta.dir, '../server/web/assets/clip');
const SIZES: Size[] = [
  { width: 960, height: 540 },
  { width: 480, height: 270 },
];
/** A moment in the evening, with the container in the air. */
const THUMBNAIL_AT = 9.2;

/** Returns what pages show about the clip, so that they need not read its files. */
function aboutClip(folder: string, files: string[], video: EncodedVideo) {
  const bytesBelow = (prefix: string) =>
    files
      .filter((name) => name.startsWith(prefix))
      .reduce((sum, name) => sum + Bun.file(join(folder, name)).size, 0);
  const folders = [...new Set(files.map((name) => name.split('/')[0] ?? ''))];
  const sizes = folders.flatMap((name) => {
    const [, width, height] = /^(\d+)x(\d+)$/.exec(name) ?? [];
    return width
      ? [{ width: Number(width), height: Number(height), bytes: bytesBelow(`${name}/`) }]
      : [];
  });
  return {
    /** In milliseconds. */
    duration: video.duration,
    thumbhash: video.thumbHash ?? null,
    sizes: sizes.sort((a, b) => b.width - a.width),
    sound: bytesBelow('audio/'),
    previews: bytesBelow('previews'),
    files,
  };
}

const tools = findFfmpegBinaries(process.env.FFMPEG_PATH || null);
if (!tools) throw new Error('The clip needs ffmpeg and ffprobe on the path, or FFMPEG_PATH.');

const work = await mkdtemp(join(tmpdir(), 'wharf-clip-'));
// The pipeline's tools run as nobody where this runs as root.
await chmod(work, 0o755);
try {
  const [source, thumbnail, outputFolder] = ['clip.mp4', 'thumbnail.png', 'made'].map((name) =>
    join(work, name),
  ) as [string, string, string];
  await mkdir(outputFolder);
  await record(source, tools.ffmpeg);
  await drawThumbnail(thumbnail, THUMBNAIL_AT);
  const playableFiles: string[] = [];
  const video = await makeVideo({
    source,
    folder: outputFolder,
    thumbnail,
    resolutions: SIZES,
    timelinePreview: true,
    isBackground: true,
    tools,
    decode: decodeHere,
    signal: new AbortController().signal,
    onProgress: () => {},
    onPlayable: async ({ files }) => void playableFiles.push(...files),
  });
  // The early playlist is only for the time before all sizes are encoded.
  const files = [...playableFiles, ...video.files].filter((name) => name !== PARTIAL_PLAYLIST);
  await rm(CLIP, { recursive: true, force: true });
  for (const name of files) {
    await mkdir(dirname(join(CLIP, name)), { recursive: true });
    await cp(join(outputFolder, name), join(CLIP, name));
  }
  const about = aboutClip(CLIP, files, video);
  await Bun.write(join(CLIP, 'about.json'), `${JSON.stringify(about, null, 2)}\n`);
  const bytes = files.reduce((sum, name) => sum + Bun.file(join(CLIP, name)).size, 0);
  console.log(`${files.length} files, ${Math.round(bytes / 1024)} KiB, are in ${CLIP}.`);
} finally {
  await rm(work, { recursive: true });
}
