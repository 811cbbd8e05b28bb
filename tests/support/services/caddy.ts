import { join } from 'node:path';
import { findServer } from '../../../scripts/setup/programs.mjs';
import { until } from '../client/wait.ts';

export const caddyPath: string | null = findServer('caddy');

/** Caddy keeps its certificates and other data in HOME, which must not be the developer's. */
const environment = (folder: string) => ({ HOME: folder, PATH: process.env.PATH ?? '' });

async function writeCaddyfile(folder: string, text: string): Promise<string[]> {
  const file = join(folder, 'Caddyfile');
  await Bun.write(file, text);
  return ['--config', file, '--adapter', 'caddyfile'];
}

/** Returns the warnings of `caddy validate` about a Caddyfile, and whether it is valid. */
export async function checkCaddy(folder: string, text: string) {
  const args = await writeCaddyfile(folder, text);
  const { success, stderr } = Bun.spawnSync([caddyPath ?? 'caddy', 'validate', ...args], {
    env: environment(folder),
  });
  const lines = stderr.toString().split('\n').filter(Boolean);
  return {
    success,
    output: lines.filter((line) => !line.startsWith('{"level":"info"')).join('\n'),
  };
}

/**
 * Starts Debian's Caddy with a Caddyfile and a self-signed certificate. Resolves when it responds at
 * `url`. Throws Caddy's output if it does not start.
 */
export async function startCaddy(folder: string, text: string, url: string) {
  // It must not open other ports, request certificates, or install its own on the machine.
  const ours = `{
	admin off
	local_certs
	skip_install_trust
	auto_https disable_redirects
	default_bind 127.0.0.1
}
`;
  const args = await writeCaddyfile(folder, ours + text);
  const log = join(folder, 'log');
  const child = Bun.spawn([caddyPath ?? 'caddy', 'run', ...args], {
    env: environment(folder),
    stdio: ['ignore', 'ignore', Bun.file(log)],
  });
  try {
    await until(async () => {
      if (child.exitCode !== null) throw new Error('it ended');
      return fetch(url, { tls: { rejectUnauthorized: false } }).then(
        () => true,
        () => false,
      );
    });
  } catch (error) {
    child.kill('SIGKILL');
    throw new Error(`Caddy did not start: ${error}\n${await Bun.file(log).text()}`);
  }
  return child;
}
