import { availableParallelism } from 'node:os';
import { relative } from 'node:path';
import { MINUTE, SECOND } from '../../server/contract/limits.ts';
import type { Size } from '../../server/contract/media.ts';
import type { FrameRate } from '../hls/frame-rate.ts';
import { hlsArguments } from '../hls/hls.ts';
import { videoToolFailure } from '../media-failure.ts';
import { runTool, ToolFailed } from '../sandbox/process.ts';
import type { Probe } from './probe.ts';

/** Fewer lines than this are no first impression. */
const EARLY_LINES = 360;
/** Decoding the source, against encoding as many pixels: weights progress, nothing else. */
const DECODING = 0.3;

/** Programs, by name or path. */
export type Tools = { ffmpeg: string; ffprobe: string };

type EncodingRun = {
  sizes: Size[];
  rate: FrameRate;
  hasZscale: boolean;
  /** Null for none in this run. */
  audioIndex: number | null;
  /** 0 to 1. */
  onProgress: (fraction: number) => void;
};

type Work = { source: string; folder: string; tools: Tools; signal: AbortSignal };

/** Beyond it, x264 gains little and its threads use up the address space. */
const MAX_THREADS = 8;
/** A slow machine makes five sizes of 1080p at about half the speed of play. */
const TIME_BASE = 15 * MINUTE;
const TIME_FACTOR = 20;
const MEMORY = 6 * 2 ** 30;
/** Bytes for each second in one file: above the highest rate that we let the encoder use. */
const FILE_RATE = 4 * 2 ** 20;
const FILE_BASE = 64 * 2 ** 20;

/** Encodes some sizes of a video, in one ffmpeg process, to one file each in the folder. Throws MediaFailure. */
export async function encode(work: Work, probe: Probe, run: EncodingRun): Promise<void> {
  const { folder, tools, signal } = work;
  const { sizes, rate, hasZscale, audioIndex, onProgress } = run;
  const threads = Math.min(MAX_THREADS, availableParallelism());
  const timeoutMs = TIME_BASE + probe.durationMs * TIME_FACTOR;
  const source = relative(folder, work.source);
  const encoding = { ...probe, source, sizes, rate, hasZscale, audioIndex, threads };
  try {
    await runTool({
      command: [tools.ffmpeg, ...hlsArguments(encoding)],
      cwd: folder,
      isPrivate: true,
      timeoutMs,
      signal,
      limits: {
        cpuSeconds: (timeoutMs / SECOND) * threads,
        memoryBytes: MEMORY,
        fileBytes: FILE_BASE + (probe.durationMs / SECOND) * FILE_RATE,
      },
      onStdoutLine: (line) => {
        const microseconds = Number(/^out_time_us=(\d+)$/.exec(line)?.[1] ?? 0);
        if (microseconds > 0) onProgress(Math.min(1, microseconds / SECOND / probe.durationMs));
      },
    });
  } catch (error) {
    if (!(error instanceof ToolFailed)) throw error;
    throw videoToolFailure(error, 'The video could not be decoded.');
  }
}

/**
 * The encoding runs for some sizes, given and returned largest first: one small size that is
 * worth watching, so that viewers need not wait, then all others together. The smallest with at
 * least 360 lines (of its shorter side), or the largest where none has them.
 */
export function createEncodingRuns(sizes: Size[]): Size[][] {
  const early = sizes.findLast((size) => Math.min(size.width, size.height) >= EARLY_LINES);
  const first = early ?? sizes[0];
  const others = sizes.filter((size) => size !== first);
  return first && others.length > 0 ? [[first], others] : [sizes];
}

/** About how much of the whole work each run is, as fractions that add up to 1. */
export function shares(runs: Size[][], source: Size): number[] {
  const pixels = ({ width, height }: Size) => width * height;
  const costs = runs.map((sizes) =>
    sizes.reduce((sum, size) => sum + pixels(size), pixels(source) * DECODING),
  );
  const total = costs.reduce((sum, cost) => sum + cost, 0);
  return costs.map((cost) => cost / total);
}
