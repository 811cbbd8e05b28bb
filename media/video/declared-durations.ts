import { SECOND } from '../../server/contract/limits.ts';
import type { Format } from './ffprobe.ts';
import type { Probe } from './probe.ts';
import type { Stream } from './streams.ts';

/** Formats without a header. ffprobe calculates their durations from time stamps, which can jump. */
const HEADERLESS = new Set(['mpegts', 'mpeg']);

/**
 * Returns how long a container says that its picture, its sound and the whole file last.
 *
 * @param durationMs What no duration exceeds.
 */
export function findDeclaredDurations(
  format: Format,
  streams: Stream[],
  { video, audio, durationMs }: { video: Stream; audio: Stream | undefined; durationMs: number },
): Probe['declaredMs'] {
  const isHeaderless = HEADERLESS.has(format.format_name ?? '');
  // Matroska counts from zero, also where everything begins later.
  const start = Math.max(0, Number(format.start_time) || 0);
  // A forged tag must not request hours of silence or of the last picture.
  const milliseconds = (seconds: number) =>
    !isHeaderless && seconds > 0 ? Math.min(durationMs, Math.round(seconds * SECOND)) : null;
  // Of a Matroska stream with one packet or none, ffprobe tells the duration of the file.
  const ofStream = (stream: Stream | undefined) =>
    milliseconds(stream?.tags?.DURATION ? taggedSeconds(stream) - start : Number(stream?.duration));
  const isWhole = streams.every((one) => one === video || one === audio);
  return {
    picture: ofStream(video),
    sound: ofStream(audio),
    file: isWhole ? milliseconds(Number(format.duration) - start) : null,
  };
}

/** Returns the duration in the tags of a Matroska stream, such as '00:00:04.007000000'; 0 without one. */
function taggedSeconds(stream: Stream | undefined): number {
  const [hours, minutes, seconds] = (stream?.tags?.DURATION ?? '').split(':').map(Number);
  return ((hours ?? 0) * 60 + (minutes ?? 0)) * 60 + (seconds ?? 0) || 0;
}
