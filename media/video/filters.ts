import { runTool } from '../sandbox/process.ts';

const LIMITS = { cpuSeconds: 10, memoryBytes: 2 * 2 ** 30, fileBytes: 0 };
const TIMEOUT = 10_000;

const known = new Map<string, Promise<string>>();

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
