import { join } from 'node:path';
import type { MadeVideo } from '../../media/video/video.ts';

/** What pages say of the clip, so that they need not look into its files. */
export function aboutClip(folder: string, files: string[], video: MadeVideo) {
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
    /** Milliseconds. */
    duration: video.duration,
    thumbhash: video.thumbHash ?? null,
    sizes: sizes.sort((a, b) => b.width - a.width),
    sound: bytesBelow('audio/'),
    previews: bytesBelow('previews'),
    files,
  };
}
