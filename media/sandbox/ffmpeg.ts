import { memoizeAsync } from '../../server/contract/memoize.ts';
import { runTool } from './process.ts';

/**
 * Demuxers of files that contain their own pictures and sound. Playlists and scripts (hls, dash, concat,
 * image2, …) are left out, because they name other files and URLs to open: a playlist named 'holiday.mp4'
 * made a default ffmpeg transcode /etc/passwd and fetch internal URLs.
 */
const FORMATS = 'mov,matroska,webm,avi,mpegts,ogg,flv,asf,mpeg';

/** Demuxers of audio. They are only for its length, as nothing of such a file is decoded or delivered by us. */
export const AUDIO_FORMATS = `${FORMATS},mp3,aac,wav,w64,flac,aiff,caf,ac3,eac3,amr`;

const LIMITS = { cpuSeconds: 10, memoryBytes: 2 * 2 ** 30, fileBytes: 0 };
const TIMEOUT_MS = 10_000;

const helpTexts = new Map<string, () => Promise<string>>();

/**
 * Returns the arguments that open a local file, a video by default, for ffmpeg and ffprobe alike; they precede those
 * of the output. `path` is never a name that a user has chosen, and the explicit protocol keeps ffmpeg from
 * parsing one out of it.
 */
export function sandboxedInput(path: string, formats = FORMATS): string[] {
  return ['-protocol_whitelist', 'file', '-format_whitelist', formats, '-i', `file:${path}`];
}

/** Whether an ffmpeg (by name or path) was built with a filter. Each ffmpeg is asked once. */
export async function hasFilter(ffmpeg: string, name: string): Promise<boolean> {
  return new RegExp(`^ \\S+ ${name} `, 'm').test(await helpOf(ffmpeg, '-filters'));
}

/** Whether an ffmpeg (by name or path) was built with an encoder. Each ffmpeg is asked once. */
export async function hasEncoder(ffmpeg: string, name: string): Promise<boolean> {
  return new RegExp(`^ \\S+ ${name} `, 'm').test(await helpOf(ffmpeg, '-encoders'));
}

/** Whether an ffmpeg was built with a decoder. */
export async function hasDecoder(ffmpeg: string, name: string): Promise<boolean> {
  return new RegExp(`^ \\S+ ${name} `, 'm').test(await helpOf(ffmpeg, '-decoders'));
}

/** Whether the bitstream filter `noise` of an ffmpeg can drop packets by an expression: since 5.0. */
export async function canDropPackets(ffmpeg: string): Promise<boolean> {
  return /^\s*-drop\s+<string>/m.test(await helpOf(ffmpeg, '-h', 'bsf=noise'));
}

function helpOf(ffmpeg: string, ...args: string[]): Promise<string> {
  const key = [ffmpeg, ...args].join(' ');
  const text = helpTexts.get(key) ?? memoizeAsync(() => askFor(ffmpeg, args));
  helpTexts.set(key, text);
  return text().catch(() => '');
}

async function askFor(ffmpeg: string, args: string[]): Promise<string> {
  const { signal } = new AbortController();
  const command = [ffmpeg, '-hide_banner', ...args];
  return (await runTool({ command, cwd: '/', timeoutMs: TIMEOUT_MS, signal, limits: LIMITS }))
    .stdout;
}
