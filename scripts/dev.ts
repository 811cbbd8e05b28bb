import { type FSWatcher, watch } from 'node:fs';
import { join } from 'node:path';
import { build } from './build.ts';

/**
 * Rebuilds and restarts when anything changes that the server or a page is made of. `bun --watch` would
 * miss scripts and styles that only browsers load.
 */
const root = join(import.meta.dir, '..');
const SETTLE_MS = 80;

let server: Bun.Subprocess | null = null;
let timer: Timer | undefined;
let running = Promise.resolve();

async function restart() {
  try {
    await build({ development: true });
  } catch (error) {
    console.error(error);
    return;
  }
  server?.kill('SIGTERM');
  await server?.exited;
  server = Bun.spawn([process.execPath, 'server/main.ts'], {
    cwd: root,
    stdio: ['inherit', 'inherit', 'inherit'],
  });
}

const schedule = () => {
  clearTimeout(timer);
  timer = setTimeout(() => {
    running = running.then(restart);
  }, SETTLE_MS);
};

const watchers: FSWatcher[] = ['server', 'islands', 'media'].map((folder) =>
  watch(join(root, folder), { recursive: true }, (_event, name) => {
    if (name && !/\.test\.tsx?$/.test(name)) schedule();
  }),
);

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    for (const watcher of watchers) watcher.close();
    clearTimeout(timer);
    await running;
    server?.kill('SIGTERM');
    await server?.exited;
    process.exit(0);
  });
}

schedule();
