import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { startStripe } from '../tests/support/payments/stripe.ts';
import { fillDemo } from './demo/fill.ts';
import { openDemoFolder } from './demo/folder.ts';

/**
 * Serves a folder with an account, buckets, files and payments, which the first run creates. Settings of
 * the environment are not passed on: a DATABASE_URL or a STORAGE_URL in it belongs to another server.
 */
const ROOT = join(import.meta.dir, '..');
const INHERITED = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'FFMPEG_PATH', 'PORT', 'HOST', 'APP_URL'];
const WRITTEN = /email written to (.+)$/;

process.umask(0o077);
const folder = resolve(process.argv[2] ?? join(ROOT, 'demo'));
try {
  process.exitCode = await demo();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

async function demo(): Promise<number> {
  const account = await openDemoFolder(folder);
  const stripe = await startStripe();
  try {
    const env = { ...stripe.env, ADMIN_EMAIL: account.email, LOG_LEVEL: 'error' };
    if (!account.isComplete) {
      console.log(`Filling ${folder}: files are uploaded and encoded. This takes about a minute.`);
      await fillDemo(account, env, stripe);
    }
    console.log(`
  Email     ${account.email}
  Password  ${account.password}

The files are real. The traffic of past weeks is made up, and payments go to a stand-in for Stripe that
takes no money. Delete ${folder} to start over.
`);
    return await serve({ ...env, DATA_DIR: account.dataDir });
  } finally {
    await stripe.stop();
  }
}

/** Serves until Ctrl+C, and prints the codes that the server emails. Returns its exit code. */
async function serve(env: Record<string, string>): Promise<number> {
  const inherited = Object.fromEntries(INHERITED.map((name) => [name, process.env[name]]));
  const server = Bun.spawn([process.execPath, join(ROOT, 'server/main.ts')], {
    cwd: ROOT,
    env: { ...inherited, ...env, NODE_ENV: 'production' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => server.kill('SIGTERM'));
  }
  for await (const line of createInterface({ input: Readable.fromWeb(server.stdout as never) })) {
    const text = textOf(line);
    const path = WRITTEN.exec(text)?.[1];
    const code = path && codeOf(await readFile(path, 'utf8'));
    console.log(code ? `The code from the email: ${code}` : text);
  }
  return server.exited;
}

/** Returns the text of a line of the log that has nothing else, or else the whole line. */
function textOf(line: string): string {
  if (!line.startsWith('{')) return line;
  const { level: _level, time: _time, msg, ...fields } = JSON.parse(line);
  return Object.keys(fields).length === 0 ? msg : line;
}

function codeOf(mail: string): string | null {
  return /\b[1-9]\d{5}\b/.exec(mail.slice(mail.search(/\r?\n\r?\n/)))?.[0] ?? null;
}
