import { SECOND } from '../../server/contract/limits.ts';
import type { Probe } from './probe.ts';

/** What ffmpeg has read of a stream. */
type DecodedStream = { packets: number; frames: number; failures: number };

/** A packet that could not be decoded, or a picture with errors that the decoder has concealed. */
const FAILURES = [
  /^\[error\] Error while decoding stream #0:(\d+)/,
  /^\[warning\] \S+ corrupt decoded frame in stream (\d+)/,
  // Since ffmpeg 6.1.
  /^\[[va]ist#0:(\d+)\/.*(?:Error submitting packet to decoder|corrupt decoded frame)/,
];
/**
 * Parts of the line of totals. ffmpeg writes each by itself, and what another thread logs meanwhile stands
 * between them, with its line break.
 */
const TOTALS =
  /Input stream #0:(?<index>\d+) \(\w+\): |(?<packets>\d+) packets read |(?<frames>\d+) frames decoded/g;
/** Matroska is read on after a damaged part, without what was in it. */
const SKIPPED = /^\[matroska,webm @ \w+\] \[error\]/;

/** Reads the log of an ffmpeg that decodes one file, at the log level `repeat+level+verbose`. */
export class DecodingLog {
  private readonly streams = new Map<number, DecodedStream>();
  /** The stream of which totals follow. */
  private counted = -1;
  /** Whether parts of the file were left out. */
  hasSkipped = false;

  /** Reads one line. */
  readonly read = (line: string): void => {
    const failed = FAILURES.map((pattern) => pattern.exec(line)?.[1]).find(Boolean);
    if (failed) this.stream(Number(failed)).failures += 1;
    for (const { groups: { index, packets, frames } = {} } of line.matchAll(TOTALS)) {
      if (index) this.counted = Number(index);
      if (packets) this.stream(this.counted).packets = Number(packets);
      if (frames) this.stream(this.counted).frames = Number(frames);
    }
    this.hasSkipped ||= SKIPPED.test(line);
  };

  /** Returns what was read of a stream. */
  stream(index: number): DecodedStream {
    const stream = this.streams.get(index) ?? { packets: 0, frames: 0, failures: 0 };
    this.streams.set(index, stream);
    return stream;
  }
}

/** The last picture of a slow video lasts long, and containers round. */
const TOLERANCE_MS = 300;
const TOLERANCE_PICTURES = 1.5;
/** Intact sound can begin with packets of which the decoder needs an earlier one. */
export const TOLERATED_SOUND_FAILURES = 4;

/** The milliseconds that can be seen and heard of an encoded video. Null where it has no sound. */
export type PlayedTimes = { seenMs: number; heardMs: number | null };

/** Returns sentences on what of a video could not be read or is left out; null where nothing shows a loss. */
export function describeLoss(probe: Probe, log: DecodingLog, played: PlayedTimes): string | null {
  const omission = toOmission(probe.leftOut);
  const sentences = [describeDamage(probe, log, played), omission].filter(Boolean);
  return sentences.length > 0 ? sentences.join(' ') : null;
}

function toOmission(leftOut: string[]): string | null {
  const last = leftOut.at(-1);
  if (!last) return null;
  const others = leftOut.slice(0, -1).join(', ');
  const isOne = leftOut.length === 1 && last.startsWith('1 ');
  return `${others ? `${others} and ${last}` : last} ${isOne ? 'is' : 'are'} left out.`.replace(
    /^chapters/,
    'Chapters',
  );
}

function describeDamage(probe: Probe, log: DecodingLog, played: PlayedTimes): string | null {
  const picture = lossOfPicture(probe, log, played);
  if (picture) return `The video is damaged. ${toFigures(picture)}`;
  if (!probe.hasSound) return null;
  if (played.heardMs === null) {
    // A track can be empty, as of a recorder whose microphone was off.
    const { packets } = log.stream(probe.audioIndex ?? -1);
    const isEmpty = probe.audioIndex !== null && packets === 0 && probe.declaredMs.sound === null;
    return isEmpty ? null : "The video's audio could not be read.";
  }
  const sound = lossOfSound(probe, log, played.heardMs);
  return sound ? `The video's audio is damaged. ${toFigures(sound)}` : null;
}

type Loss = { readMs: number; totalMs: number };

function lossOfPicture(
  probe: Probe,
  log: DecodingLog,
  { seenMs, heardMs }: PlayedTimes,
): Loss | null {
  const { declaredMs, videoIndex, meanRate } = probe;
  const rate = meanRate ? meanRate.frames / meanRate.seconds : 0;
  const toleranceMs = Math.max(TOLERANCE_MS, rate > 0 ? (TOLERANCE_PICTURES / rate) * SECOND : 0);
  const isFileShort =
    declaredMs.file !== null && Math.max(seenMs, heardMs ?? 0) < declaredMs.file - toleranceMs;
  const declared = declaredMs.picture ?? (isFileShort ? declaredMs.file : null) ?? 0;
  const { packets, frames, failures } = log.stream(videoIndex);
  // An intact file can contain packets that nobody sees, so the totals only measure a loss.
  const isLossy = failures > 0 || log.hasSkipped;
  const expected = Math.max(packets, log.hasSkipped ? Math.floor((seenMs / SECOND) * rate) : 0, 1);
  const lost = isLossy ? Math.max(failures, expected - frames) : 0;
  if (lost === 0 && declared - seenMs <= toleranceMs) return null;
  return {
    readMs: seenMs * (1 - Math.min(1, lost / expected)),
    totalMs: Math.max(declared, seenMs),
  };
}

function lossOfSound({ declaredMs, audioIndex }: Probe, log: DecodingLog, heardMs: number) {
  const { packets, failures } = log.stream(audioIndex ?? -1);
  const lost = failures > TOLERATED_SOUND_FAILURES ? failures / Math.max(packets, failures) : 0;
  const totalMs = Math.max(declaredMs.sound ?? 0, heardMs);
  if (lost === 0 && totalMs - heardMs <= TOLERANCE_MS) return null;
  return { readMs: heardMs * (1 - lost), totalMs };
}

/** Rounds down what could be read, so that a short loss shows. */
function toFigures({ readMs, totalMs }: Loss): string {
  const total = (totalMs / SECOND).toFixed(1);
  const read = (Math.floor((readMs / SECOND) * 10) / 10).toFixed(1);
  return read === total
    ? 'Some of it could not be read.'
    : `${read} of ${total} seconds could be read.`;
}
