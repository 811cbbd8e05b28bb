import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder for one test file, whose contents tools may read, and the call that removes it. */
export function scratch(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'wharf-media-test-'));
  chmodSync(path, 0o755);
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Runs a tool plainly and returns its output; throws with its complaint. */
export async function run(...command: string[]): Promise<string> {
  const child = Bun.spawn(command, { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' });
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')}: ${stderr}`);
  return stdout + stderr;
}

export const ffmpeg = (...rest: string[]) =>
  run('ffmpeg', '-nostdin', '-v', 'error', '-y', ...rest);

export type Clip = {
  /** WIDTHxHEIGHT. */
  size?: string;
  seconds?: number;
  rate?: number;
  sound?: boolean;
  /** Further arguments before the output's name, and its codecs. */
  more?: string[];
};

/** Writes a small moving test picture, with a tone unless `sound` is false. */
export async function makeClip(path: string, clip: Clip = {}): Promise<string> {
  const { size = '320x180', seconds = 3, rate = 25, sound = true, more = [] } = clip;
  await ffmpeg(
    ...['-f', 'lavfi', '-i', `testsrc2=size=${size}:rate=${rate}:duration=${seconds}`],
    ...(sound ? ['-f', 'lavfi', '-i', `sine=duration=${seconds}`] : []),
    ...['-preset', 'ultrafast', ...more, path],
  );
  return path;
}
