import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from './command.ts';
import { ROOT } from './program.ts';
import { sweepTemporary } from './sweep.ts';

export const INSTALL_SCRIPT = join(ROOT, 'packaging/install.sh');
/** All that the script uses, but for what downloads. */
export const TOOLS = 'sh awk chmod cp cut mkdir mktemp mv rm sed sha256sum uname ldd'.split(' ');
/** What downloads, as the script finds it; null where a machine has neither. */
export const downloader: string | null =
  ['curl', 'wget'].find((name) => Bun.which(name) !== null) ?? null;
const FOLDER = 'wharf-install-';

/** A program that says its version, as ours does. */
export const programOf = (version: string) =>
  `#!/bin/sh\n[ "$*" = version ] && echo "wharf ${version}"\n`;

/** A file server with a release, and an empty place to install it to. */
export async function startReleases() {
  await sweepTemporary(FOLDER);
  const folder = await mkdtemp(join(tmpdir(), `${FOLDER}${process.pid}-`));
  const prefix = join(folder, 'prefix');
  const temporary = join(folder, 'tmp');
  await mkdir(join(prefix, 'bin'), { recursive: true });
  await mkdir(temporary);
  const files = new Map<string, string | Buffer>();
  const asked: string[] = [];
  const cutOff = new Set<string>();

  const server = createServer((request, response) => {
    const name = (request.url ?? '').slice(1);
    asked.push(name);
    const body = files.get(name);
    if (body === undefined) return response.writeHead(404).end('Not here.');
    response.writeHead(200, { 'content-length': Buffer.byteLength(body) });
    if (!cutOff.has(name)) return response.end(body);
    return response.write(body.slice(0, body.length / 2), () => response.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    url,
    prefix,
    /** By name, what the server has. */
    files,
    /** The names it was asked for. */
    asked,
    /** The names of what it sends half of. */
    cutOff,

    /** Puts SHA256SUMS beside the files that are there now. */
    sum() {
      files.delete('SHA256SUMS');
      const sums = [...files].map(([name, body]) => {
        return `${createHash('sha256').update(body).digest('hex')}  ${name}\n`;
      });
      files.set('SHA256SUMS', sums.join(''));
    },

    /** Publishes a release with a program of this version for this kind of machine. */
    publish(version: string, arch: string = process.arch) {
      files.set(`wharf-linux-${arch}`, programOf(version));
      files.set(`wharf-linux-${arch}-licenses.txt`, `licences of ${version}\n`);
      this.sum();
    },

    /** A folder for PATH with programs of the system, and with shell scripts in place of others. */
    async pathOf(tools: string[], scripts: Record<string, string> = {}) {
      const path = await mkdtemp(join(folder, 'path-'));
      for (const name of tools.filter((one) => !(one in scripts))) {
        await symlink(Bun.which(name) ?? name, join(path, name));
      }
      for (const [name, text] of Object.entries(scripts)) {
        await Bun.write(join(path, name), `#!/bin/sh\n${text}\n`);
        await chmod(join(path, name), 0o755);
      }
      return path;
    },

    /** Runs a shell script, by default the one that installs, as its reader gets it: on standard input. */
    async run(env: Record<string, string> = {}, script?: string) {
      const PATH =
        env.PATH ?? (await this.pathOf([...TOOLS, downloader ?? 'curl'], { ffmpeg: '' }));
      const settings = { WHARF_RELEASE_URL: url, PREFIX: prefix, TMPDIR: temporary };
      const input = script ?? (await readFile(INSTALL_SCRIPT, 'utf8'));
      return runCommand([], { ...settings, ...env, PATH }, { program: ['sh'], input });
    },

    /** Every file in the place to install to and among temporary ones, with its text. */
    async written(): Promise<Record<string, string>> {
      const found: Record<string, string> = {};
      for (const place of [prefix, temporary]) {
        for (const entry of await readdir(place, { recursive: true, withFileTypes: true })) {
          const path = join(entry.parentPath, entry.name);
          if (entry.isFile()) found[path.slice(folder.length + 1)] = await readFile(path, 'utf8');
        }
      }
      return found;
    },

    async stop() {
      server.closeAllConnections();
      server.close();
      await rm(folder, { recursive: true });
    },
  };
}
