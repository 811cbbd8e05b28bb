import { join } from 'node:path';
import { SECOND } from '../../server/contract/limits.ts';
import type { Size } from '../../server/contract/media.ts';
import { AUDIO_TRACK, type Padding, videoTrack } from '../hls/hls-arguments.ts';
import { trackSeconds } from '../mp4/track.ts';
import type { PlayedTimes } from './damage.ts';
import type { Probe } from './probe.ts';

/** Encoding adds up to this to the end of sound. */
const SOUND_PADDING_SECONDS = 0.2;
/** What is missing at the end of sound and nobody hears. */
export const TOLERATED_SILENCE_SECONDS = 0.1;

type Run = {
  sizes: Size[];
  audioIndex: number | null;
  /** Whether some of it was encoded before. */
  isRepeated: boolean;
} & Padding;

/** What the source has to be seen and heard, and for how many seconds its last picture is shown besides. */
export type Aligned = { played: PlayedTimes; stillSeconds: number };

/**
 * Encodes some sizes and the sound so that they end together: the last picture stays while sound goes on, and
 * silence follows sound that ends first. Players stop at the end of what is shorter, or never begin where a
 * single picture comes with sound. Only decoding shows how long both are, so what the container declares
 * is tried first, and what that gets wrong is encoded again.
 *
 * @param run Encodes into the folder. It replaces what an earlier run has encoded.
 */
export async function encodeAligned(
  folder: string,
  { audioIndex, declaredMs }: Probe,
  sizes: Size[],
  run: (what: Run) => Promise<void>,
): Promise<Aligned> {
  const seconds = (track: string) => trackSeconds(join(folder, track));
  const declaredStill = ((declaredMs.sound ?? 0) - (declaredMs.picture ?? Infinity)) / SECOND;
  let stillSeconds = declaredStill > SOUND_PADDING_SECONDS ? declaredStill : 0;
  await run({ sizes, audioIndex, stillSeconds, soundSeconds: 0, isRepeated: false });
  const heard = audioIndex === null ? 0 : seconds(AUDIO_TRACK);
  const [first] = sizes;
  const encoded = first ? seconds(videoTrack(first)) : 0;
  const seen = Math.max(0, encoded - stillSeconds);
  const played = { seenMs: seen * SECOND, heardMs: heard > 0 ? heard * SECOND : null };
  // Without a picture there is nothing to play, as packaging reports.
  if (encoded === 0) return { played, stillSeconds: 0 };
  const missing = heard - seen > SOUND_PADDING_SECONDS ? heard - seen : 0;
  if (Math.abs(missing - stillSeconds) > SOUND_PADDING_SECONDS) {
    stillSeconds = missing;
    await run({ sizes, audioIndex: null, stillSeconds, soundSeconds: 0, isRepeated: true });
  }
  const end = seen + stillSeconds;
  if (heard > 0 && end - heard > TOLERATED_SILENCE_SECONDS) {
    await run({ sizes: [], audioIndex, stillSeconds: 0, soundSeconds: end, isRepeated: true });
  }
  return { played, stillSeconds };
}
