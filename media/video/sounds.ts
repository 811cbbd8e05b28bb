import { AUDIO_TRACK } from '../hls/hls-arguments.ts';
import { type PackagedSound, packageSound } from '../hls/packaging.ts';
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
 * Encodes all audio tracks but the main one in a run of their own, and packages each as `audio-{number}/`. They are
 * cut, or followed by silence, where the picture ends. Throws MediaFailure.
 *
 * @param seconds How long the picture is.
 * @param run Encodes into the folder.
 */
export async function makeOtherSounds(
  folder: string,
  { audioTracks }: Probe,
  seconds: number,
  run: (what: Run) => Promise<void>,
): Promise<OtherSounds> {
  const others = audioTracks.slice(1).map((label, at) => {
    return { label, index: label.index, channels: label.channels, number: at + 2 };
  });
  if (others.length === 0) return { sounds: [], loss: null };
  const otherSounds = others.map((one) => ({ ...one, track: `audio-${one.number}.mp4` }));
  const log = new DecodingLog();
  await run({
    ...{ sizes: [], stillSeconds: 0, audioIndex: null },
    ...{ otherSounds, soundSeconds: seconds, onLogLine: log.read },
  });
  const sounds: PackagedSound[] = [];
  const damaged: string[] = [];
  for (const { label, index, number, track } of otherSounds) {
    const { packets, frames, failures } = log.stream(index);
    // ffmpeg makes silence of a track without sound.
    const packaged =
      frames > 0 ? await packageSound(folder, { name: `audio-${number}`, track, label }) : null;
    if (packaged) sounds.push(packaged);
    const isLost = !packaged && packets > 0;
    if (isLost || failures > TOLERATED_SOUND_FAILURES) damaged.push(label.name);
  }
  const loss = damaged.length > 0 ? `Damaged audio tracks: ${damaged.join(', ')}.` : null;
  return { sounds, loss };
}
