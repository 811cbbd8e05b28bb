import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findServer } from '../../../scripts/setup/programs.mjs';

const GUIDE = join(import.meta.dir, '../../../docs/guide');
const TIMEOUT_MS = 500_000;

export const nginxPath: string | null = findServer('nginx');

/** Returns the code blocks of a language on a guide page, as an admin would copy them. */
export async function guideBlocks(page: string, language: string): Promise<string[]> {
  const text = await Bun.file(join(GUIDE, `${page}.md`)).text();
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(
    (match) => match[1] ?? '',
  );
}

/** Replaces values of the guide with those of a test. Throws if the guide does not contain them. */
export function adapted(text: string, replacements: Record<string, string>): string {
  return Object.entries(replacements).reduce((current, [from, to]) => {
    if (!current.includes(from)) throw new Error(`The guide does not say '${from}'.`);
    return current.replaceAll(from, to);
  }, text);
}

/**
 * Starts Debian's nginx with the settings of the guide, on `port` in front of `origin`. It caches files
 * for `seconds`. Throws nginx's output if it does not start.
 */
export async function startProxy(options: { port: number; origin: URL; seconds: number }) {
  const folder = await mkdtemp(join(tmpdir(), 'wharf-nginx-'));
  const cache = join(folder, 'cache');
  const log = join(folder, 'access.log');
  await mkdir(cache);
  const [guide = ''] = await guideBlocks('behind-a-cdn', 'nginx');
  const settings = adapted(guide, {
    '/var/cache/nginx/wharf': cache,
    '/var/log/nginx/wharf.log': log,
    '127.0.0.1:3000': options.origin.host,
    'listen 80;': `listen 127.0.0.1:${options.port};`,
    'server_name cdn.example.com;': 'server_name 127.0.0.1;',
    ' 1h;': ` ${options.seconds}s;`,
  });
  const url = `http://127.0.0.1:${options.port}`;
  const child = await startNginx(folder, settings, url);
  return {
    url,
    log: () => Bun.file(log).text(),

    /** Returns the keys of cached responses that contain a text. */
    async cacheFilesWith(text: string): Promise<string[]> {
      const result = Bun.spawnSync(['grep', '-rhaE', `^KEY: .*${text}`, cache]);
      return result.stdout.toString().split('\n').filter(Boolean);
    },

    /** Runs the guide's purge command for a file. */
    async purge(bucketId: string, fileId: string) {
      const command =
        (await guideBlocks('behind-a-cdn', 'console')).find((one) => one.startsWith('grep')) ?? '';
      const replacements = {
        '/var/cache/nginx/wharf': cache,
        'BUCKET/FILE': `${bucketId}/${fileId}`,
      };
      const done = Bun.spawnSync(['sh', '-c', adapted(command, replacements)]);
      if (done.exitCode !== 0) throw new Error(`Purging failed: ${done.stderr}`);
    },

    async stop() {
      child.kill();
      await child.exited;
      await rm(folder, { recursive: true });
    },
  };
}

/** Returns the arguments of nginx for these settings of its `http` block, with all files in `folder`. */
async function nginxArguments(folder: string, settings: string): Promise<string[]> {
  const temporaries = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join('\n');
  const file = join(folder, 'nginx.conf');
  await Bun.write(
    file,
    `daemon off;
${process.getuid?.() === 0 ? 'user root;' : ''}
worker_processes 2;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log warn;
events {}
http {
${temporaries}
${settings}
}
`,
  );
  return ['-p', folder, '-e', join(folder, 'error.log'), '-c', file];
}

/** Returns the output of `nginx -t` for settings of its `http` block, and whether they are valid. */
export async function checkNginx(folder: string, settings: string) {
  const args = await nginxArguments(folder, settings);
  const { success, stderr } = Bun.spawnSync([nginxPath ?? 'nginx', '-t', ...args]);
  return { success, output: stderr.toString() };
}

/**
 * Starts Debian's nginx with `settings` for its `http` block and all files in `folder`. Resolves when it
 * responds at `url`. Throws nginx's output if it does not start.
 */
export async function startNginx(folder: string, settings: string, url: string) {
  const args = await nginxArguments(folder, settings);
  const child = Bun.spawn([nginxPath ?? 'nginx', ...args], { stdin: 'ignore', stderr: 'pipe' });
  const deadline = Date.now() + TIMEOUT_MS;
  while (!(await isReachable(url))) {
    if (child.exitCode !== null || Date.now() > deadline) {
      child.kill();
      throw new Error(`nginx did not start:\n${await new Response(child.stderr).text()}`);
    }
    await Bun.sleep(20);
  }
  return child;
}

/** Starts nginx with the guide's settings for several processes, in front of two of them. */
export async function startBalancer({ port, webs }: { port: number; webs: [URL, URL] }) {
  const folder = await mkdtemp(join(tmpdir(), 'wharf-nginx-'));
  const [guide = ''] = await guideBlocks('scaling', 'nginx');
  const settings = adapted(guide, {
    '127.0.0.1:3001': webs[0].host,
    '127.0.0.1:3002': webs[1].host,
    'listen 8080;': `listen 127.0.0.1:${port};`,
  });
  const url = `http://127.0.0.1:${port}`;
  const child = await startNginx(folder, settings, url);
  return {
    url,
    async stop() {
      child.kill();
      await child.exited;
      await rm(folder, { recursive: true });
    },
  };
}

/** Returns whether a URL responds, whatever its certificate. */
const isReachable = (url: string) =>
  fetch(url, { tls: { rejectUnauthorized: false } }).then(
    () => true,
    () => false,
  );
