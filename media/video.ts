import { mkdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { MINUTE, SECOND } from '../server/contract/limits.ts';
import type { Size } from '../server/contract/media.ts';
import { codecsOf } from './codecs.ts';
import { encodingRate, type FrameRate } from './frame-rate.ts';
import { hlsArguments, INIT_SEGMENT, PLAYLIST } from './hls.ts';
import { masterPlaylist, type Variant } from './master.ts';
import { type Probe, probeVideo } from './probe.ts';
import { runTool, ToolFailed } from './process.ts';
import { renditionSizes, sizeName } from './renditions.ts';
import { parseSegmentList } from './segment-list.ts';
import { videoToolFailure } from './tool-failure.ts';

export type Tools = { ffmpeg: string; ffprobe: string };

export type VideoWork = {
  /** Local file. */
  source: string;
  /** Existing, empty folder for what is made. */
  folder: string;
  resolutions: Size[];
  tools: Tools;
  signal: AbortSignal;
  /** 0 to 1. */
  onProgress: (done: number) => void;
};

export type MadeVideo = Size & {
  /** Paths below the folder; the master playlist, which makes the rest reachable, is last. */
  files: string[];
  entry: string;
  duration: number;
};

const MASTER = 'master.m3u8';
/** Beyond it, x264 gains little and its threads use up the address space. */
const MAX_THREADS = 8;
/** A slow machine makes five sizes of 1080p at about half the speed of play. */
const TIME_BASE = 15 * MINUTE;
const TIME_FACTOR = 20;
const MEMORY = 6 * 2 ** 30;
const FILE = 2 ** 30;

/**
 * Makes HLS of a local video: every size in one run, then the master playlist over them. Returns
 * the size of the largest rendition and the source's duration in milliseconds. Throws MediaFailure,
 * or the signal's reason.
 */
export async function makeVideo(work: VideoWork): Promise<MadeVideo> {
  const { source, folder, tools, signal } = work;
  const probe = await probeVideo(source, { ffprobe: tools.ffprobe, cwd: folder, signal });
  const sizes = renditionSizes(probe, work.resolutions);
  const rate = encodingRate(probe.meanRate, probe.baseRate, probe.interlaced);
  for (const size of sizes) await mkdir(join(folder, sizeName(size)));
  await encode(work, probe, sizes, rate);
  const files: string[] = [];
  const variants: Variant[] = [];
  for (const size of sizes) {
    const rendition = await readRendition(folder, size, rate);
    files.push(...rendition.files);
    variants.push(rendition.variant);
  }
  await Bun.write(join(folder, MASTER), masterPlaylist(variants));
  const largest = sizes[0] ?? probe;
  return {
    files: [...files, MASTER],
    entry: MASTER,
    width: largest.width,
    height: largest.height,
    duration: probe.durationMs,
  };
}

async function encode(work: VideoWork, probe: Probe, sizes: Size[], rate: FrameRate) {
  const threads = Math.min(MAX_THREADS, availableParallelism());
  const timeoutMs = TIME_BASE + probe.durationMs * TIME_FACTOR;
  const encoding = { source: work.source, ...probe, sizes, rate, threads };
  try {
    await runTool({
      command: [work.tools.ffmpeg, ...hlsArguments(encoding)],
      cwd: work.folder,
      timeoutMs,
      signal: work.signal,
      limits: {
        cpuSeconds: (timeoutMs / SECOND) * threads,
        memoryBytes: MEMORY,
        fileBytes: FILE,
      },
      onStdoutLine: (line) => {
        const microseconds = Number(/^out_time_us=(\d+)$/.exec(line)?.[1] ?? 0);
        if (microseconds > 0) {
          work.onProgress(Math.min(1, microseconds / SECOND / probe.durationMs));
        }
      },
    });
  } catch (error) {
    if (!(error instanceof ToolFailed)) throw error;
    throw videoToolFailure(error, 'The video could not be decoded.');
  }
}

async function readRendition(folder: string, size: Size, rate: FrameRate) {
  const name = sizeName(size);
  const playlist = Bun.file(join(folder, name, PLAYLIST));
  const list = parseSegmentList((await playlist.exists()) ? await playlist.text() : '');
  const init = await Bun.file(join(folder, name, INIT_SEGMENT)).bytes();
  const segments = list.segments.map(({ uri, duration }) => {
    return { duration, bytes: Bun.file(join(folder, name, uri)).size };
  });
  const variant: Variant = {
    uri: `${name}/${PLAYLIST}`,
    size,
    rate,
    codecs: codecsOf(init),
    targetDuration: list.targetDuration,
    segments,
  };
  const names = [INIT_SEGMENT, ...list.segments.map(({ uri }) => uri), PLAYLIST];
  return { files: names.map((file) => `${name}/${file}`), variant };
}
