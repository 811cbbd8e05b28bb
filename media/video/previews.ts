import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { HOUR } from '../../server/contract/limits.ts';
import { RENDITION_PLAYLIST, type Size } from '../../server/contract/media.ts';
import type { Decode } from '../decoder/tasks.ts';
import type { MeasuredSegment } from '../hls/playlists.ts';
import { sizeName } from '../hls/renditions.ts';
import { toolFailure } from '../media-failure.ts';
import { runTool, ToolFailedError } from '../sandbox/process.ts';

export const PREVIEWS = 'previews.vtt';
const SHEETS = 'previews';
const WIDTH = 160;
const MAX_HEIGHT = 320;
/** Enough for ten minutes with one preview per key frame. Longer videos get fewer per minute. */
const MAX_PREVIEWS = 300;
const ACROSS = 10;
const PER_SHEET = ACROSS * ACROSS;
const LIMITS = { cpuSeconds: 3600, memoryBytes: 4 * 2 ** 30, fileBytes: 64 * 2 ** 20 };

export type PreviewsWork = {
  /** The job's own folder with the packaged rendition. */
  folder: string;
  size: Size;
  /** The key frames of that rendition; only durations are used. */
  keyFrames: MeasuredSegment[];
  ffmpeg: string;
  decode: Decode;
  signal: AbortSignal;
};

/**
 * Makes sprite sheets `previews/sheet_000.webp` … and `previews.vtt`, whose cues refer to parts of them.
 * The previews come from one of our renditions: its key frames are two seconds apart, upright and in
 * standard colours, whatever the source is, and nothing else is decoded. Returns the paths below the
 * folder, `previews.vtt` last. Throws MediaFailure.
 */
export async function makePreviews(work: PreviewsWork): Promise<string[]> {
  const { folder, keyFrames } = work;
  const every = Math.ceil(keyFrames.length / MAX_PREVIEWS);
  const tile = tileSize(work.size);
  await mkdir(join(folder, SHEETS));
  await drawSheets(work, every, tile);
  const sheets = (await readdir(join(folder, SHEETS))).sort();
  const count = Math.min(Math.ceil(keyFrames.length / every), sheets.length * PER_SHEET);
  const files: string[] = [];
  for (const [index, name] of sheets.entries()) {
    const rows = Math.ceil(Math.min(PER_SHEET, count - index * PER_SHEET) / ACROSS);
    const columns = Math.min(ACROSS, count);
    const png = join(folder, SHEETS, name);
    const webp = `${SHEETS}/${name.replace('.png', '.webp')}`;
    await work.decode(
      { kind: 'sheet', width: columns * tile.width, height: rows * tile.height },
      { source: png, result: join(folder, webp) },
      work.signal,
    );
    files.push(webp);
  }
  await Bun.write(join(folder, PREVIEWS), previewCues(keyFrames, every, count, tile));
  return [...files, PREVIEWS];
}

/**
 * Returns the size of a preview: 160 pixels wide, except for videos that are more than twice as high as
 * wide.
 */
export function tileSize({ width, height }: Size): Size {
  const scale = Math.min(WIDTH / width, MAX_HEIGHT / height);
  const even = (side: number) => Math.max(2, Math.round((side * scale) / 2) * 2);
  return { width: even(width), height: even(height) };
}

async function drawSheets(work: PreviewsWork, every: number, tile: Size): Promise<void> {
  const { folder, size, signal } = work;
  const filters = [
    `select='not(mod(n,${every}))'`,
    `scale=${tile.width}:${tile.height}:flags=area`,
    `tile=${ACROSS}x${ACROSS}`,
  ];
  const command = [
    ...[work.ffmpeg, '-hide_banner', '-nostdin', '-loglevel', 'error', '-y'],
    // This is our own playlist, which refers to our own segments only.
    ...['-protocol_whitelist', 'file', '-skip_frame', 'nokey', '-f', 'hls'],
    ...['-i', `file:${sizeName(size)}/${RENDITION_PLAYLIST}`],
    ...['-vf', filters.join(','), '-fps_mode', 'passthrough', '-pix_fmt', 'rgb24'],
    ...['-f', 'image2', '-start_number', '0', `${SHEETS}/sheet_%03d.png`],
  ];
  try {
    const run = { command, cwd: folder, isPrivate: true, timeoutMs: HOUR, limits: LIMITS };
    await runTool({ ...run, signal });
  } catch (error) {
    if (!(error instanceof ToolFailedError)) throw error;
    throw toolFailure(error, 'video', 'The timeline previews could not be generated.');
  }
}

/** Returns WebVTT whose cues are media fragments (W3C Media Fragments, 4.2.2: `#xywh=`) of the sheets. */
export function previewCues(
  keyFrames: MeasuredSegment[],
  every: number,
  count: number,
  tile: Size,
): string {
  const lines = ['WEBVTT', ''];
  let time = 0;
  for (let picture = 0; picture < count; picture += 1) {
    const start = time;
    const covered = keyFrames.slice(picture * every, (picture + 1) * every);
    time += covered.reduce((sum, { duration }) => sum + duration, 0);
    const frameIndex = picture % PER_SHEET;
    const sheet = String(Math.floor(picture / PER_SHEET)).padStart(3, '0');
    const x = (frameIndex % ACROSS) * tile.width;
    const y = Math.floor(frameIndex / ACROSS) * tile.height;
    lines.push(
      `${stamp(start)} --> ${stamp(time)}`,
      `${SHEETS}/sheet_${sheet}.webp#xywh=${x},${y},${tile.width},${tile.height}`,
      '',
    );
  }
  return lines.join('\n');
}

function stamp(seconds: number): string {
  const ms = Math.round(seconds * 1000);
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  const rest = String(ms % 1000).padStart(3, '0');
  return `${two(ms / 3_600_000)}:${two((ms / 60_000) % 60)}:${two((ms / 1000) % 60)}.${rest}`;
}
