import { chmod, mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runCommand } from '../../../tests/support/server/command.ts';

/** Makes a new empty folder below the system's temporary one. */
export const temporaryFolder = () => mkdtemp(join(tmpdir(), 'wharf-setup-'));

/** Writes an executable shell script and returns its path. */
export async function writeProgram(path: string, script: string) {
  await mkdir(dirname(path), { recursive: true });
  await Bun.write(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
  return path;
}

/** Runs `code`, an ES module, with Node and this environment. */
export async function runNode(code: string, env: Record<string, string>) {
  const program = [Bun.which('node') ?? 'node', '--input-type=module', '-e'];
  const { stdout: output, stderr: errors, status } = await runCommand([code], env, { program });
  return { output, errors, status };
}
