import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '../server/command.ts';
import { normalised } from './normalised.ts';

/** How a command ended, without the parts that differ between two runs. */
export type Ending = { request: string; status: number; stdout: string; stderr: string };

const COMMANDS = [
  'serve',
  'backup',
  'restore',
  'migrate-database',
  'admin',
  'doctor',
  'fsck',
  'version',
];
const ADDRESS = 'ana@example.org';
/** Settings with which no server starts: one mistake, several, and a service that does not respond. */
const WRONG_SETTINGS: Record<string, string>[] = [
  { PORT: 'eighty' },
  { APP_URL: 'nowhere', TRUST_PROXY: '-1', LOG_LEVEL: 'loud' },
  { DATABASE_URL: 'postgres://127.0.0.1:1/x', APP_SECRET: 's'.repeat(32) },
];

type Run = (args: string[], env: Record<string, string>, input?: string) => Promise<void>;

/** Runs commands that need no server: their help, and with invalid settings or without data. */
export const endingsWithoutServer = (program: string[]): Promise<Ending[]> =>
  record(program, async (run, folder) => {
    const elsewhere = { DATA_DIR: join(folder, 'data') };
    for (const args of [['--help'], ['help'], ['fly'], ['version'], ['help', 'fsck']])
      await run(args, {});
    for (const name of COMMANDS) await run([name, '--help'], {});
    for (const wrong of WRONG_SETTINGS) await run(['serve'], { ...elsewhere, ...wrong });
    for (const args of [
      ['serve', '--role', 'none'],
      ['fsck', '--repair'],
      ['fsck'],
      ['admin'],
      ['restore'],
    ]) {
      await run(args, elsewhere);
    }
  });

/** Runs each command that loads the adapters of a database and a storage, beside a server with them. */
export const endingsOfAdapters = (
  program: string[],
  settings: Record<string, string>,
): Promise<Ending[]> =>
  record(program, async (run) => {
    await run(['doctor', '--json'], settings);
    await run(['fsck', '--json'], settings);
    await run(['admin', 'credit', ADDRESS, '5'], settings);
    await run(['migrate-database'], settings);
  });

/** Runs every command that works on data, beside a server with the same `settings`. */
export const endingsBesideServer = (
  program: string[],
  settings: Record<string, string>,
): Promise<Ending[]> =>
  record(program, async (run, folder) => {
    const elsewhere = { DATA_DIR: join(folder, 'data') };
    const backup = join(folder, 'backup');
    await run(['doctor'], settings);
    await run(['fsck'], settings);
    await run(['admin', 'credit', ADDRESS, '5'], settings);
    await run(['admin', 'ban', ADDRESS], settings);
    await run(['admin', 'unban', ADDRESS], settings);
    await run(['admin', 'reset-password', ADDRESS, '--stdin'], settings, 'another harbour\n');
    await run(['backup', backup], settings);
    await run(['backup', backup, '--verify'], settings);
    await run(['restore', backup], elsewhere);
    await run(['migrate-database'], settings);
  });

/** Returns how each command of `work` ended, in order. `work` gets a temporary folder. */
async function record(
  program: string[],
  work: (run: Run, folder: string) => Promise<void>,
): Promise<Ending[]> {
  const folder = await mkdtemp(join(tmpdir(), 'wharf-commands-'));
  const endings: Ending[] = [];
  await work(async (args, env, input = '') => {
    const { status, stdout, stderr } = await runCommand(args, env, { input, program });
    const request = normalised(`${args.join(' ')} with ${Object.keys(env).join(' ')}`);
    endings.push({ request, status, stdout: sorted(stdout), stderr: sorted(stderr) });
  }, folder);
  await rm(folder, { recursive: true });
  return endings;
}

/** Sorts the lines, because concurrent work logs them in any order. */
const sorted = (text: string) => normalised(text).split('\n').sort().join('\n');
