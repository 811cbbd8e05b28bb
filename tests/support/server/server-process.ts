import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fstatSync, openSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { atExit } from './at-exit.ts';
import { freePort } from './free-port.ts';
import { isOlderThanMigrations, migratedSqlite } from './migrated-database.ts';
import { builtProgram, cheapPasswords, programCommand, ROOT } from './program.ts';
import { engineSettings, removeEngine } from './test-engine.ts';

/** Far more than the server needs, so that a busy machine makes no difference. */
const START_TIMEOUT_MS = 500_000;
const STOP_TIMEOUT_MS = 300_000;
const POLL_INTERVAL_MS = 3;
/** What the server says once all of its start is done, in earlier versions as text. */
const STARTED = /^(.*"msg":")?Wharf \S+ is (running|encoding)/m;
/** The variables that the server inherits. It must not inherit the developer's settings. */
const INHERITED_VARIABLES = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'FFMPEG_PATH', 'WHARF_STEP'];

export type ServerProcess = {
  url: string;
  dataDir: string;
  /** The folder of the .eml files, as no SMTP server is configured. */
  outbox: string;
  pid: () => number;
  /** Returns the milliseconds that the last start took. */
  startupTime: () => number;
  /** Returns everything that it has logged so far. */
  log: () => Promise<string>;
  /**
   * Ends it with `signal` (SIGTERM by default), then starts it on the same port and data, after
   * `whileStopped`. Throws if it had ended by itself, or if its exit code after SIGTERM is not 0.
   */
  restart: (signal?: NodeJS.Signals, whileStopped?: () => Promise<void>) => Promise<void>;
  /** Ends it and removes its data. Throws if it does not exit with 0 in time. */
  stop: () => Promise<void>;
};

/**
 * Starts the program under test as a server on a free port of 127.0.0.1. Resolves at the first 200 from
 * /health, or throws with its log. The built file runs in an empty folder. It works in Node and in Bun.
 * @param options.isQuick leaves out what takes longer than most tests: passwords are hashed cheaply, an SQLite
 *   database is migrated already, and it resolves when the server says that it runs, because the first
 *   response of /health tries ffmpeg
 * @param options.env settings in addition to PORT, HOST, APP_URL and DATA_DIR, of which each can be another one
 * @param options.args the arguments of the program, such as ['serve', '--role', 'web']
 * @param options.prefix a command that runs the server, such as ['taskset', '-c', '0']
 * @param options.program another program than the one under test
 * @param options.dataDir an existing data folder, which is kept; by default a temporary one
 * @param options.startTimeoutMs how long the first 200 may take; 500 s by default
 */
export async function startServerProcess(
  options: {
    isQuick?: boolean;
    env?: Record<string, string>;
    prefix?: string[];
    args?: string[];
    program?: string[];
    dataDir?: string;
    startTimeoutMs?: number;
  } = {},
): Promise<ServerProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'wharf-server-'));
  const dataDir = options.dataDir ?? join(folder, 'data');
  const logFile = join(folder, 'log');
  const port = Number(options.env?.PORT ?? (await freePort()));
  const url = `http://127.0.0.1:${port}`;
  const log = () => readFile(logFile, 'utf8');
  const inherited = INHERITED_VARIABLES.map((name) => [name, process.env[name]]);
  const settings = {
    PORT: String(port),
    HOST: '127.0.0.1',
    APP_URL: url,
    DATA_DIR: dataDir,
    SIGNUPS_PER_NETWORK: '1000000',
  };
  const engine = await engineSettings(dataDir);
  const env: Record<string, string> = {
    ...(options.isQuick && cheapPasswords),
    ...settings,
    ...engine,
    ...options.env,
  };
  if (options.isQuick && !options.dataDir && !env.DATABASE_URL) await addDatabase(dataDir);

  let startupTime = 0;

  async function launch() {
    const file = openSync(logFile, 'a');
    const { size: logged } = fstatSync(file);
    const spawned = performance.now();
    const { prefix = [], args = [], program = programCommand } = options;
    const [command = '', ...parameters] = [...prefix, ...program, ...args];
    const surroundings = { ...Object.fromEntries(inherited), NODE_ENV: 'production' };
    const child = spawn(command, parameters, {
      cwd: builtProgram || options.program ? folder : ROOT,
      env: { ...surroundings, ...env },
      stdio: ['ignore', file, file],
    });
    closeSync(file);
    const forget = atExit(() => child.kill('SIGKILL'));
    child.once('exit', forget);
    const isUp = options.isQuick
      ? async () => STARTED.test(await readFrom(logFile, logged))
      : () => isReachable(`${url}/health`);
    await waitForStart(child, isUp, log, options.startTimeoutMs);
    startupTime = performance.now() - spawned;
    return child;
  }

  let child = await launch();
  return {
    url,
    dataDir,
    outbox: join(dataDir, 'outbox'),
    pid: () => child.pid ?? 0,
    startupTime: () => startupTime,
    log,
    async restart(signal = 'SIGTERM', whileStopped) {
      const hasCrashed = child.exitCode !== null || !['SIGKILL', null].includes(child.signalCode);
      const status = await end(child, signal);
      if (hasCrashed || (signal === 'SIGTERM' && status !== 0))
        throw new Error(endingOf(status, await log()));
      await whileStopped?.();
      child = await launch();
    },
    async stop() {
      const status = await end(child, 'SIGTERM');
      const text = await log();
      if (!options.dataDir) await removeEngine(dataDir);
      await rm(folder, { recursive: true, force: true });
      if (status !== 0) throw new Error(endingOf(status, text));
    },
  };
}

/** Puts a migrated database into a folder, which it creates, if the program under test can open it. */
async function addDatabase(dataDir: string) {
  if (builtProgram && (await isOlderThanMigrations(builtProgram))) return;
  await mkdir(dataDir, { mode: 0o700 });
  await copyFile(await migratedSqlite(), join(dataDir, 'wharf.db'));
}

async function waitForStart(
  child: ChildProcess,
  isUp: () => Promise<boolean>,
  log: () => Promise<string>,
  timeoutMs = START_TIMEOUT_MS,
) {
  const deadline = Date.now() + timeoutMs;
  while (!(await isUp())) {
    if (child.exitCode !== null || child.signalCode !== null || Date.now() > deadline) {
      child.kill('SIGKILL');
      throw new Error(`The server did not start:\n${tail(await log())}`);
    }
    await sleep(POLL_INTERVAL_MS);
  }
}

/** Returns a file's text from a position. */
const readFrom = async (path: string, start: number) =>
  (await readFile(path)).subarray(start).toString();

const isReachable = (url: string) =>
  fetch(url).then(
    (response) => response.ok,
    () => false,
  );

/** Ends a process, and kills it after a timeout. Returns its exit code or the signal that ended it. */
async function end(child: ChildProcess, signal: NodeJS.Signals) {
  if (child.exitCode === null && child.signalCode === null) {
    const exit = once(child, 'exit');
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    child.kill(signal);
    await exit;
    clearTimeout(timer);
  }
  return child.exitCode ?? child.signalCode;
}

const endingOf = (status: number | string | null, log: string) =>
  `The server ended with ${status}:\n${tail(log)}`;

const tail = (text: string) => text.split('\n').slice(-30).join('\n');
