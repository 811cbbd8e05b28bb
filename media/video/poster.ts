import { rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { MINUTE } from '../../server/contract/limits.ts';
import type { Size } from '../../server/contract/media.ts';
import { toStandardColours } from '../image/colour.ts';
import { decoded, openImage } from '../image/image.ts';
import { imageInfo } from '../image/image-info.ts';
import { MediaFailure } from '../media-failure.ts';
import { sandboxedInput } from '../sandbox/ffmpeg.ts';
import { runTool, ToolFailed } from '../sandbox/process.ts';
import type { Probe } from './probe.ts';

export const POSTER = 'poster.webp';
/** The longer side. */
const MOST = 1280;

/** Less than nine tenths of the picture are darker than 32 of 255. */
const NOT_BLACK =
  'blackframe=amount=0:threshold=32,metadata=mode=select:key=lavfi.blackframe.pblack:value=90:function=less';
/** What to look through, in turn: the beginning, then key frames of a long one, then anything. */
const TRIES: { input: string[]; filters: string[] }[] = [
  { input: ['-t', '10'], filters: [NOT_BLACK] },
  { input: ['-skip_frame', 'nokey', '-t', '600'], filters: [NOT_BLACK] },
  { input: ['-t', '10'], filters: [] },
];
const FRAME = 'frame.png';
const QUALITY = 80;
const TIMEOUT = 2 * MINUTE;
const LIMITS = { cpuSeconds: 240, memoryBytes: 4 * 2 ** 30, fileBytes: 64 * 2 ** 20 };

export type PosterWork = {
  /** Local video. */
  source: string;
  /** The job's private folder, where `poster.webp` is written. */
  folder: string;
  /** Local image that was uploaded for it; null without. */
  thumbnail: string | null;
  probe: Probe;
  /** Of the largest rendition. */
  size: Size;
  hasZscale: boolean;
  ffmpeg: string;
  signal: AbortSignal;
};

/**
 * Makes the poster of a video: of the thumbnail where that is a usable image, else of the first
 * frame that is not black. False where no frame can be had; then the encoder will say why. Throws
 * the signal's reason after an abort.
 */
export async function makePoster(work: PosterWork): Promise<boolean> {
  const poster = join(work.folder, POSTER);
  const box = Math.min(MOST, Math.max(work.size.width, work.size.height));
  if (work.thumbnail && (await fit(work.thumbnail, poster, MOST))) return true;
  const frame = join(work.folder, FRAME);
  for (const { input, filters } of TRIES) {
    await grab(work, input, filters);
    if (await Bun.file(frame).exists()) {
      const made = await fit(frame, poster, box);
      await rm(frame);
      return made;
    }
  }
  return false;
}

async function grab(work: PosterWork, input: string[], filters: string[]): Promise<void> {
  const { probe, size, folder, signal } = work;
  const colours = toStandardColours(probe.colours, probe, size, work.hasZscale);
  const picture = [...filters, colours].join(',');
  const command = [
    ...[work.ffmpeg, '-hide_banner', '-nostdin', '-loglevel', 'error', '-y', ...input],
    ...sandboxedInput(relative(folder, work.source)),
    ...['-map', `0:${probe.videoIndex}`, '-vf', picture, '-frames:v', '1'],
    ...['-map_metadata', '-1', '-f', 'image2', '-update', '1', FRAME],
  ];
  try {
    const run = { command, cwd: folder, isPrivate: true, timeoutMs: TIMEOUT, limits: LIMITS };
    await runTool({ ...run, signal });
  } catch (error) {
    if (!(error instanceof ToolFailed)) throw error;
    await rm(join(folder, FRAME), { force: true });
  }
}

/** False for what is no usable image: a bad thumbnail must not stop a good video. */
async function fit(from: string, to: string, side: number): Promise<boolean> {
  try {
    const info = await imageInfo(from);
    const still = openImage(from, { ...info, frames: 1 });
    const box = { width: side, height: side, fit: 'inside', withoutEnlargement: true } as const;
    await decoded(still.resize(box).webp({ quality: QUALITY }).toFile(to));
    return true;
  } catch (error) {
    if (error instanceof MediaFailure && error.retry === 'never') return false;
    throw error;
  }
}
