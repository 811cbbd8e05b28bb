import { runTool } from './process.ts';

/**
 * Demuxers of files that hold their own pictures and sound. Not among them: playlists and
 * scripts (hls, dash, concat, image2, …), which name other files and addresses to open. A playlist
 * called 'holiday.mp4' made a default ffmpeg transcode /etc/passwd and fetch internal addresses.
 */
const FORMATS = 'mov,matroska,webm,avi,mpegts,ogg,flv,asf,mpeg';

const LIMITS = { cpuSeconds: 10, memoryBytes: 2 * 2 ** 30, fileBytes: 0 };
const TIMEOUT = 10_000;

const known = new Map<string, Promise<string>>();

/**
 * The arguments that open a local file as video, for ffmpeg and ffprobe alike. They stand in
 * front of the output's. `path` is ours, never a name chosen by a user; the explicit protocol keeps
 * ffmpeg from reading one out of it.
 */
export function sandboxedInput(path: string): string[] {
  return ['-protocol_whitelist', 'file', '-format_whitelist', FORMATS, '-i', `file:${path}`];
}

/** Whether an ffmpeg (by name or path) was built with a filter. Asked once. */
export async function hasFilter(ffmpeg: string, name: string): Promise<boolean> {
  const listed = known.get(ffmpeg) ?? listFilters(ffmpeg);
  known.set(ffmpeg, listed);
  try {
    return new RegExp(`^ \\S+ ${name} `, 'm').test(await listed);
  } catch {
    known.delete(ffmpeg);
    return false;
  }
}

async function listFilters(ffmpeg: string): Promise<string> {
  const { signal } = new AbortController();
  const command = [ffmpeg, '-hide_banner', '-filters'];
  return (await runTool({ command, cwd: '/', timeoutMs: TIMEOUT, signal, limits: LIMITS })).stdout;
}
