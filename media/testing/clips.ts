import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { copyOfGenerated } from '../../tests/support/fixtures/generate-once.ts';

/**
 * Makes a folder for one test file whose contents tools can read. Returns it with the function that removes
 * it.
 */
export function scratch(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'wharf-media-test-'));
  chmodSync(path, 0o755);
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Runs a tool without confinement and returns its output. Throws with its standard error. */
export async function run(...command: string[]): Promise<string> {
  const child = Bun.spawn(command, { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' });
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')}: ${stderr}`);
  return stdout + stderr;
}

/** Runs ffmpeg. What it makes only from its own generators is made once and copied in later runs. */
export async function ffmpeg(...rest: string[]): Promise<void> {
  const options = rest.slice(0, -1);
  const path = rest.at(-1) ?? '';
  const make = (out: string) => run('ffmpeg', '-nostdin', '-v', 'error', '-y', ...options, out);
  const isGenerated = options.every((one, at) => one !== '-i' || options[at - 1] === 'lavfi');
  if (path === '-' || !isGenerated) await make(path);
  else await copyOfGenerated(path, basename(path), options, async (out) => void (await make(out)));
}

export type Clip = {
  /** WIDTHxHEIGHT. */
  size?: string;
  seconds?: number;
  rate?: number;
  sound?: boolean;
  /** Further arguments before the output's name, such as codecs. */
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
