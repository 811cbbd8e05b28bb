import { rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { MINUTE } from '../../server/contract/limits.ts';
import type { Size } from '../../server/contract/media.ts';
import type { Decode } from '../decoder/tasks.ts';
import { isHdr, toStandardColours } from '../image/colour.ts';
import { MediaFailure } from '../media-failure.ts';
import { sandboxedInput } from '../sandbox/ffmpeg.ts';
import { runTool, ToolFailedError } from '../sandbox/process.ts';
import type { Probe } from './probe.ts';

export const POSTER = 'poster.webp';
/** The longest side of a poster in pixels. */
const MAX_SIDE = 1280;

/** Selects frames of which less than 90% is darker than 32 of 255. */
const NOT_BLACK =
  'blackframe=amount=0:threshold=32,metadata=mode=select:key=lavfi.blackframe.pblack:value=90:function=less';
/**
 * The frames to search, one after the other: the beginning, then the key frames of a long video, then any
 * frame.
 */
const SEARCHES: { input: string[]; filters: string[] }[] = [
  { input: ['-t', '10'], filters: [NOT_BLACK] },
  { input: ['-skip_frame', 'nokey', '-t', '600'], filters: [NOT_BLACK] },
  { input: ['-t', '10'], filters: [] },
];
const FRAME = 'frame.png';
const TIMEOUT_MS = 2 * MINUTE;
const LIMITS = { cpuSeconds: 240, memoryBytes: 4 * 2 ** 30, fileBytes: 64 * 2 ** 20 };

export type PosterWork = {
  /** A local video. */
  source: string;
  /** The job's own folder, in which `poster.webp` is written. */
  folder: string;
  /** A local image that was uploaded as thumbnail; null without one. */
  thumbnail: string | null;
  probe: Probe;
  /** The size of the largest rendition. */
  size: Size;
  /** Options that select the decoder of the picture. */
  decoder: string[];
  /** Filters that make whole pictures of what the decoder returns. */
  filters: string[];
  hasZscale: boolean;
  ffmpeg: string;
  /** Whether ffmpeg has the lowest priority. */
  isBackground: boolean;
  decode: Decode;
  signal: AbortSignal;
};

/**
 * Makes the poster of a video from the thumbnail where that is a usable image, else from the first frame
 * that is not black. Returns its ThumbHash in base64; null where there is no frame, whose reason the encoder
 * will report. Throws the signal's reason after an abort.
 */
export async function makePoster(work: PosterWork): Promise<string | null> {
  const poster = join(work.folder, POSTER);
  const box = Math.min(MAX_SIDE, Math.max(work.size.width, work.size.height));
  const fit = (source: string, side: number) => fitted(work, { source, result: poster }, side);
  const own = work.thumbnail && (await fit(work.thumbnail, MAX_SIDE));
  if (own) return own;
  const frame = join(work.folder, FRAME);
  for (const { input, filters } of SEARCHES) {
    await grab(work, input, filters);
    if (await Bun.file(frame).exists()) return fit(frame, box);
  }
  return null;
}

async function grab(work: PosterWork, input: string[], filters: string[]): Promise<void> {
  const { probe, folder, signal, isBackground } = work;
  const colours = toStandardColours(probe.colours, frameSize(work), work.hasZscale);
  const picture = [...work.filters, ...filters, colours].join(',');
  const command = [
    ...[
      work.ffmpeg,
      '-hide_banner',
      '-nostdin',
      '-loglevel',
      'error',
      '-y',
      ...input,
      ...work.decoder,
    ],
    ...sandboxedInput(relative(folder, work.source)),
    ...['-map', `0:${probe.videoIndex}`, '-vf', picture, '-frames:v', '1'],
    ...['-map_metadata', '-1', '-f', 'image2', '-update', '1', FRAME],
  ];
  try {
    const limits = { ...LIMITS, isBackground };
    const run = { command, cwd: folder, isPrivate: true, timeoutMs: TIMEOUT_MS, limits };
    await runTool({ ...run, sources: [work.source], signal });
  } catch (error) {
    if (!(error instanceof ToolFailedError)) throw error;
    await rm(join(folder, FRAME), { force: true });
  }
}

/**
 * Returns the size of the frame: that of the video in the box of the largest rendition. The rendition itself
 * has even sides, which changes the ratio of a small one visibly. zscale, which HDR needs, refuses odd sides.
 */
function frameSize({ probe, size, hasZscale }: PosterWork): Size {
  if (hasZscale && isHdr(probe.colours)) return size;
  const box = Math.max(size.width, size.height);
  const scale = Math.min(1, box / Math.max(probe.width, probe.height));
  const scaled = (side: number) => Math.max(1, Math.round(side * scale));
  return { width: scaled(probe.width), height: scaled(probe.height) };
}

/** Returns null for an unusable image, because a bad thumbnail must not stop a good video. */
async function fitted(
  { decode, signal }: PosterWork,
  files: { source: string; result: string },
  side: number,
): Promise<string | null> {
  try {
    return (await decode({ kind: 'poster', side }, files, signal)).thumbHash ?? null;
  } catch (error) {
    if (error instanceof MediaFailure && error.retry === 'never') return null;
    throw error;
  }
}
