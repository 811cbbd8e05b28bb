import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../../support/server/program.ts';
import { type ServerProcess, startServerProcess } from '../../support/server/server-process.ts';

const BUN = join(ROOT, 'node_modules/.bin/bun');
const BUILD = join(ROOT, 'tests/support/server/development-build.ts');
const MANIFEST = join(ROOT, 'dist/assets/manifest.json');
/** Scripts are cached between pages, as the server's own are. */
const SCRIPT_HEADERS = {
  'content-type': 'text/javascript',
  'cache-control': 'public, max-age=31536000, immutable',
};

type Names = Record<string, string>;
type Scripts = Awaited<ReturnType<typeof buildDevelopmentReact>>;
export type DevelopmentSite = Awaited<ReturnType<typeof startDevelopmentSite>>;

/**
 * Starts a server whose pages load scripts with development React, which logs every hydration mismatch.
 * Production React does not report mismatched attributes. The scripts come from a proxy in front of the
 * server, because a browser whose requests a test intercepts caches nothing. Needs the built assets.
 * @param env settings of the server
 * @returns the server with the proxy's URL, the logical names of all scripts, and of those that were requested
 */
export async function startDevelopmentSite(env: Record<string, string>) {
  const scripts = await buildDevelopmentReact();
  const { requested, proxy, passTo } = createProxy(scripts);
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const server = await startServerProcess({ isQuick: true, env: { ...env, APP_URL: url } });
  passTo(new URL(server.url));
  return {
    server: { ...server, url } satisfies ServerProcess,
    names: [...scripts.names.values()],
    requested,
    async stop() {
      proxy.close();
      proxy.closeAllConnections();
      await server.stop();
    },
  };
}

function createProxy({ bodies, names }: Scripts) {
  const requested = new Set<string>();
  let host = '';
  let port = '';
  const pass = ({ method, url, headers }: IncomingMessage) =>
    request({ host, port, path: url, method, headers });
  const proxy = createServer((incoming: IncomingMessage, response: ServerResponse) => {
    const file = basename(new URL(incoming.url ?? '', 'http://proxy').pathname);
    const body = bodies.get(file);
    if (body !== undefined) {
      requested.add(names.get(file) ?? file);
      response.writeHead(200, SCRIPT_HEADERS).end(body);
      return;
    }
    const outgoing = pass(incoming);
    outgoing.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    outgoing.on('error', () => response.destroy());
    incoming.pipe(outgoing);
  });
  proxy.on('upgrade', ({ method, url, rawHeaders }, socket, head) => {
    const lines = rawHeaders.map((text, at) => (at % 2 === 0 ? `${text}: ` : `${text}\r\n`));
    const peer = connect(Number(port), host, () => {
      peer.write(`${method} ${url} HTTP/1.1\r\n${lines.join('')}\r\n`);
      peer.write(head);
      peer.pipe(socket).pipe(peer);
    });
    peer.on('error', () => socket.destroy());
    socket.on('error', () => peer.destroy());
  });
  const passTo = (url: URL) => {
    host = url.hostname;
    port = url.port;
  };
  return { requested, proxy, passTo };
}

/**
 * Builds the scripts, under the names of the server's own: scripts import each other, and a script with two
 * names would run twice.
 */
async function buildDevelopmentReact() {
  const folder = await mkdtemp(join(tmpdir(), 'wharf-development-'));
  await promisify(execFile)(BUN, [BUILD, folder], { cwd: ROOT });
  const built = JSON.parse(await readFile(join(folder, 'names.json'), 'utf8')) as Names;
  const { files } = JSON.parse(await readFile(MANIFEST, 'utf8')) as { files: Names };
  const renamed = Object.entries(built).flatMap(([name, file]) => {
    const original = files[name];
    return original ? [{ name, original, file }] : [];
  });
  const bodies = new Map<string, string>();
  for (const file of (await readdir(folder)).filter((one) => one.endsWith('.js'))) {
    const text = await readFile(join(folder, file), 'utf8');
    const original = renamed.find((one) => one.file === file)?.original ?? file;
    bodies.set(
      original,
      renamed.reduce((all, one) => all.replaceAll(one.file, one.original), text),
    );
  }
  await rm(folder, { recursive: true });
  return { bodies, names: new Map(renamed.map(({ name, original }) => [original, name])) };
}
