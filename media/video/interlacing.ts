import { relative } from 'node:path';
import { MINUTE, SECOND } from '../../server/contract/limits.ts';
import { rateValue } from '../hls/frame-rate.ts';
import { sandboxedInput } from '../sandbox/ffmpeg.ts';
import { runTool, ToolFailedError } from '../sandbox/process.ts';
import type { Probe } from './probe.ts';

/**
 * `idet` corrects the flags of frames by what they show, so that progressive frames in an interlaced stream
 * stay sharp, and `bwdif` makes one frame of the two fields of those that are interlaced.
 */
const BY_PICTURE = ['idet', 'bwdif=mode=send_frame:deint=interlaced'];
const BY_FLAGS = ['bwdif=mode=send_frame:deint=interlaced'];

/** No interlaced format has more lines, and bwdif needs some. */
const MAX_LINES = 1088;
const MIN_LINES = 16;
/** Lines and rates of interlaced television, which programs have encoded as if it were progressive. */
const TELEVISION_LINES = [480, 486, 576, 1080, 1088];
const TELEVISION_RATES = [25, 30_000 / 1001];
/** Four seconds of PAL. They take 1.2 s of processor time in 1080p and 0.13 s in 576 lines, decoding included. */
const SAMPLED_FRAMES = 100;
/** Of a longer video the middle is sampled, because titles are often progressive. */
const SAMPLED_IN_THE_MIDDLE_MS = 20 * SECOND;
/** With fewer frames that show anything, the flags decide. */
const MIN_DETECTED = 5;
/** The order of fields doesn't change in a video; fine patterns look like either order. */
const MAX_OPPOSITE = 0.1;
/** A file that calls itself progressive has to look otherwise in nearly all frames. */
const MIN_CONTRADICTING = 0.9 * SAMPLED_FRAMES;
const TIMEOUT_MS = 2 * MINUTE;
const LIMITS = { cpuSeconds: 120, memoryBytes: 4 * 2 ** 30, fileBytes: 0 };

type Sampling = {
  /** A local video. */
  source: string;
  /** The job's own folder. */
  folder: string;
  ffmpeg: string;
  isBackground: boolean;
  signal: AbortSignal;
};

export type Deinterlacing = {
  /** None for a progressive video. */
  filters: string[];
  /** Whether the file or its pictures tell for sure. */
  isInterlaced: boolean;
};

const PROGRESSIVE: Deinterlacing = { filters: [], isInterlaced: false };

export type Counts = { tff: number; bff: number; progressive: number };

/**
 * Returns the filters that make interlaced pictures whole. Many files don't
 * tell that they are interlaced (DV, MPEG-TS), and captures of television say that they are not, so some frames
 * are looked at.
 * Throws the signal's reason after an abort.
 */
export async function findDeinterlacing(probe: Probe, sampling: Sampling): Promise<Deinterlacing> {
  if (probe.codedHeight < MIN_LINES) return PROGRESSIVE;
  if (probe.isInterlaced) return { filters: BY_PICTURE, isInterlaced: true };
  const isCredible =
    probe.isInterlaced === null ? probe.codedHeight <= MAX_LINES : isTelevision(probe);
  if (!isCredible) return PROGRESSIVE;
  return deinterlacing(await countFrames(probe, sampling), probe.isInterlaced);
}

function isTelevision({ codedHeight, meanRate }: Probe): boolean {
  if (!meanRate || !TELEVISION_LINES.includes(codedHeight)) return false;
  const rate = rateValue(meanRate);
  return TELEVISION_RATES.some((one) => Math.abs(rate / one - 1) < 0.0005);
}

/**
 * Returns the filters for a video by how its sampled frames look.
 * @param isInterlaced false where the file calls itself progressive, and null where it doesn't tell
 */
export function deinterlacing(
  { tff, bff, progressive }: Counts,
  isInterlaced: false | null,
): Deinterlacing {
  const [most, least] = [Math.max(tff, bff), Math.min(tff, bff)];
  const enough = isInterlaced === null ? MIN_DETECTED : MIN_CONTRADICTING;
  if (most >= enough && most > progressive && least <= most * MAX_OPPOSITE) {
    const order = `setfield=${tff > bff ? 'tff' : 'bff'}`;
    return { filters: [order, ...BY_PICTURE], isInterlaced: true };
  }
  const isUndecided = tff + bff + progressive < MIN_DETECTED;
  return isUndecided && isInterlaced === null
    ? { filters: BY_FLAGS, isInterlaced: false }
    : PROGRESSIVE;
}

async function countFrames(probe: Probe, sampling: Sampling): Promise<Counts> {
  const middle = probe.durationMs / 2 / SECOND;
  const isLong = probe.durationMs > SAMPLED_IN_THE_MIDDLE_MS;
  const counts = isLong ? await sample(probe, sampling, ['-ss', middle.toFixed(3)]) : null;
  return counts ?? (await sample(probe, sampling, [])) ?? { tff: 0, bff: 0, progressive: 0 };
}

/** Returns null where nothing can be decoded at this place. */
async function sample(probe: Probe, sampling: Sampling, from: string[]): Promise<Counts | null> {
  const { source, folder, signal, isBackground } = sampling;
  const shown = 'metadata=mode=print:key=lavfi.idet.multiple.current_frame:file=-:direct=1';
  const command = [
    ...[sampling.ffmpeg, '-hide_banner', '-nostdin', '-loglevel', 'error', ...from],
    ...sandboxedInput(relative(folder, source)),
    ...['-map', `0:${probe.videoIndex}`, '-vf', `idet,${shown}`],
    ...['-frames:v', String(SAMPLED_FRAMES), '-f', 'null', '-'],
  ];
  const counts: Record<string, number> = {};
  const onStdoutLine = (line: string) => {
    const kind = /current_frame=(\w+)/.exec(line)?.[1];
    if (kind) counts[kind] = (counts[kind] ?? 0) + 1;
  };
  try {
    const run = { command, cwd: folder, timeoutMs: TIMEOUT_MS, signal, onStdoutLine };
    await runTool({ ...run, sources: [source], limits: { ...LIMITS, isBackground } });
  } catch (error) {
    if (!(error instanceof ToolFailedError)) throw error;
  }
  const { tff = 0, bff = 0, progressive = 0, undetermined = 0 } = counts;
  return tff + bff + progressive + undetermined > 0 ? { tff, bff, progressive } : null;
}
