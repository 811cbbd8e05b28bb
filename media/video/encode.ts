import { relative } from 'node:path';
import { MINUTE, SECOND } from '../../server/contract/limits.ts';
import type { Size } from '../../server/contract/media.ts';
import type { FrameRate } from '../hls/frame-rate.ts';
import { type Encode, hlsArguments, type Padding } from '../hls/hls-arguments.ts';
import { toolFailure } from '../media-failure.ts';
import { toolMemory } from '../sandbox/confine.ts';
import { runTool, ToolFailedError } from '../sandbox/process.ts';
import { encodingThreads } from './memory.ts';
import type { Probe } from './probe.ts';
import { DECODING_COST } from './workload.ts';

/** A rendition with fewer lines is not worth watching first. */
const FIRST_RENDITION_MIN_LINES = 360;
/** The programs, by name or path. */
export type Tools = { ffmpeg: string; ffprobe: string };

export type EncodingRun = Padding & {
  sizes: Size[];
  rate: FrameRate;
  decoder: string[];
  filters: string[];
  hasZscale: boolean;
  canDropPackets: boolean;
  /** Null where this run encodes no sound. */
  audioIndex: number | null;
  otherSounds?: Encode['otherSounds'];
  /** From 0 to 1. */
  onProgress?: (fraction: number) => void;
  /** Called with each line of ffmpeg's log. */
  onLogLine?: (line: string) => void;
};

type Work = {
  source: string;
  folder: string;
  isBackground: boolean;
  tools: Tools;
  signal: AbortSignal;
};

/** A slow machine encodes five sizes of 1080p at about half the playback speed. */
const BASE_TIMEOUT_MS = 15 * MINUTE;
const TIMEOUT_FACTOR = 20;
const MEMORY_BYTES = 6 * 2 ** 30;
/** The most bytes per second of a file, above the highest rate that the encoder can use. */
const FILE_BYTES_PER_SECOND = 4 * 2 ** 20;
const FILE_BASE_BYTES = 64 * 2 ** 20;

/** Encodes some sizes of a video in one ffmpeg process, each into a file in the folder. Throws MediaFailure. */
export async function encode(work: Work, probe: Probe, run: EncodingRun): Promise<void> {
  const { folder, isBackground, tools, signal } = work;
  const { onProgress, onLogLine, ...options } = run;
  const threads = encodingThreads({ source: probe, sizes: run.sizes }, toolMemory());
  const timeoutMs = BASE_TIMEOUT_MS + probe.durationMs * TIMEOUT_FACTOR;
  const source = relative(folder, work.source);
  const encoding = { ...probe, ...options, source, threads };
  try {
    await runTool({
      command: [tools.ffmpeg, ...hlsArguments(encoding)],
      cwd: folder,
      isPrivate: true,
      sources: [work.source],
      timeoutMs,
      signal,
      limits: {
        cpuSeconds: (timeoutMs / SECOND) * threads,
        memoryBytes: MEMORY_BYTES,
        isBackground,
        fileBytes: FILE_BASE_BYTES + (probe.durationMs / SECOND) * FILE_BYTES_PER_SECOND,
      },
      onStderrLine: onLogLine,
      onStdoutLine: (line) => {
        const microseconds = Number(/^out_time_us=(\d+)$/.exec(line)?.[1] ?? 0);
        if (microseconds > 0) onProgress?.(Math.min(1, microseconds / SECOND / probe.durationMs));
      },
    });
  } catch (error) {
    if (!(error instanceof ToolFailedError)) throw error;
    throw toolFailure(error, 'video', 'The video is damaged or incomplete. Export it again.');
  }
}

/**
 * Returns the encoding runs for some sizes, given and returned largest first. The first run encodes one
 * small size, so that viewers need not wait; the second encodes all others. The small size is the smallest
 * with at least 360 lines (of its shorter side), or the largest where none has as many.
 */
export function createEncodingRuns(sizes: Size[]): Size[][] {
  const firstSize = sizes.findLast(
    (size) => Math.min(size.width, size.height) >= FIRST_RENDITION_MIN_LINES,
  );
  const first = firstSize ?? sizes[0];
  const others = sizes.filter((size) => size !== first);
  return first && others.length > 0 ? [[first], others] : [sizes];
}

/** Returns about how much of all the work each run is, as fractions that add up to 1. */
export function shares(runs: Size[][], source: Size): number[] {
  const pixels = ({ width, height }: Size) => width * height;
  const costs = runs.map((sizes) =>
    sizes.reduce((sum, size) => sum + pixels(size), pixels(source) * DECODING_COST),
  );
  const total = costs.reduce((sum, cost) => sum + cost, 0);
  return costs.map((cost) => cost / total);
}
