import { join } from 'node:path';
import { AUDIO_TRACK } from '../hls/hls-arguments.ts';
import { type PackagedSound, packageSound } from '../hls/packaging.ts';
import { trackSeconds } from '../mp4/track.ts';
import { TOLERATED_SILENCE_SECONDS } from './aligned.ts';
import { DecodingLog, TOLERATED_SOUND_FAILURES } from './damage.ts';
import type { EncodingRun } from './encode.ts';
import type { Probe } from './probe.ts';

/** Packages the main sound as `audio/`. Returns null where there is none, or nothing that can be decoded. */
export async function packageMainSound(
  folder: string,
  { audioTracks: [main] }: Probe,
): Promise<PackagedSound | null> {
  return main ? packageSound(folder, { name: 'audio', track: AUDIO_TRACK, label: main }) : null;
}

type OtherSounds = { sounds: PackagedSound[]; loss: string | null };
type Run = Pick<
  EncodingRun,
  'audioIndex' | 'otherSounds' | 'soundSeconds' | 'stillSeconds' | 'sizes' | 'onLogLine'
>;

/**
 * Encodes all audio tracks but the main one in runs of their own, and packages each as `audio-{number}/`. They are
 * cut, or followed by silence, where the picture ends. Throws MediaFailure.
 *
 * @param seconds How long the picture is.
 * @param run Encodes into the folder. It replaces what an earlier run has encoded.
 */
export async function makeOtherSounds(
  folder: string,
  { audioTracks }: Probe,
  seconds: number,
  run: (what: Run) => Promise<void>,
): Promise<OtherSounds> {
  const others = audioTracks.slice(1).map((label, at) => {
    const { index, channels } = label;
    const name = `audio-${at + 2}`;
    return { label, name, index, channels, track: `${name}.mp4`, endSeconds: seconds };
  });
  if (others.length === 0) return { sounds: [], loss: null };
  const log = new DecodingLog();
  const only = { sizes: [], stillSeconds: 0, audioIndex: null };
  await run({ ...only, otherSounds: others, soundSeconds: 0, onLogLine: log.read });
  // ffmpeg makes silence of a track without sound, so only what has been heard gets silence after it.
  const short = others.filter(({ track }) => {
    const heard = trackSeconds(join(folder, track));
    return heard > 0 && seconds - heard > TOLERATED_SILENCE_SECONDS;
  });
  if (short.length > 0) await run({ ...only, otherSounds: short, soundSeconds: seconds });
  const sounds: PackagedSound[] = [];
  const damaged: string[] = [];
  for (const { label, index, name, track } of others) {
    const packaged = await packageSound(folder, { name, track, label });
    if (packaged) sounds.push(packaged);
    const { packets, failures } = log.stream(index);
    const isLost = !packaged && packets > 0;
    if (isLost || failures > TOLERATED_SOUND_FAILURES) damaged.push(label.name);
  }
  const loss = damaged.length > 0 ? `Damaged audio tracks: ${damaged.join(', ')}.` : null;
  return { sounds, loss };
}
