import { mkdirSync } from 'node:fs';
import { type EncodedVideo, makeVideo, type VideoWork } from '../video/video.ts';
import { decodeHere } from './decode-here.ts';

/** Encodes a local video into a new folder beside it, `out`, with the system's ffmpeg. */
export async function encodeHere(
  source: string,
  more: Partial<VideoWork> = {},
): Promise<EncodedVideo & { out: string }> {
  const out = `${source}.out`;
  mkdirSync(out);
  const video = await makeVideo({
    ...{ source, folder: out, thumbnail: null, resolutions: [], timelinePreview: false },
    ...{ isBackground: false, tools: { ffmpeg: 'ffmpeg', ffprobe: 'ffprobe' } },
    signal: new AbortController().signal,
    decode: decodeHere,
    onProgress: () => {},
    onPlayable: async () => {},
    ...more,
  });
  return { ...video, out };
}
