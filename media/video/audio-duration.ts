import { HOUR, SECOND } from '../../server/contract/limits.ts';
import { AUDIO_FORMATS } from '../sandbox/ffmpeg.ts';
import { listStreams, measureDuration, type ProbeOptions } from './ffprobe.ts';

/** ffprobe guesses the duration of these from their first bit rate, because they need not declare it. */
const UNDECLARED = ['mp3', 'aac', 'ac3', 'eac3', 'dts', 'amr', 'amrnb', 'amrwb'];
/** What a file declares may be forged. */
const MAX_DURATION_MS = 1000 * HOUR;

/**
 * Returns how long the audio of a local file plays, in whole milliseconds; null where it has none, or doesn't tell.
 * Throws MediaFailure where it can't be read.
 */
export async function probeAudioDuration(
  path: string,
  probing: Omit<ProbeOptions, 'formats'>,
): Promise<number | null> {
  const options = { ...probing, formats: AUDIO_FORMATS };
  const { streams, format } = await listStreams(path, options);
  const audio = streams.find(({ codec_type }) => codec_type === 'audio');
  if (!audio) return null;
  const isDeclared = !UNDECLARED.includes(format.format_name ?? '');
  const declared = isDeclared ? Number(format.duration ?? audio.duration ?? 0) * SECOND : 0;
  const duration = Math.round(
    declared > 0 ? declared : await measureDuration(path, audio, options),
  );
  return duration > 0 && duration <= MAX_DURATION_MS ? duration : null;
}
