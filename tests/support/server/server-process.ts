import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './free-port.ts';
import { builtProgram, programCommand, ROOT } from './program.ts';
import { engineSettings, removeEngine } from './test-engine.ts';

const START_TIMEOUT_MS = 120_000;
/** Well above what the server takes at most, so that a loaded machine does not decide. */
const STOP_TIMEOUT = 60_000;
/** What the server may see of the environment around: no setting of the one who runs the tests. */
const PASSED_ON = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'FFMPEG_PATH', 'WHARF_STEP'];

export type ServerProcess = {
  url: string;
  dataDir: string;
  /** Folder of the .eml files, as no SMTP server is configured. */
  outbox: string;
  pid: () => number;
  /** Milliseconds from the last start of its process to the first 200 from /health. */
  startupTime: () => number;
  /** All it has written so far. */
  log: () => Promise<string>;
  /**
   * Ends it with `signal` (SIGTERM by default), then starts it on the same port and data. Throws when
   * SIGTERM did not end it with 0.
   */
  restart: (signal?: NodeJS.Signals) => Promise<void>;
  /** Ends it and removes its data. Throws when it didn't exit with 0 in time. */
  stop: () => Promise<void>;
};

/**
 * Starts the program under test as a server on a free port of 127.0.0.1; resolves at the first 200 from
 * /health. Throws with its log when that fails. The built file starts in a folder that holds nothing else.
 * Runs in Node and in Bun.
 * @param options.env settings beside PORT, HOST, APP_URL and DATA_DIR
 * @param options.args what follows the program's name, such as ['serve', '--role', 'web']
 * @param options.prefix a command that runs the server's, such as ['taskset', '-c', '0']
 * @param options.program what starts the server in place of the program under test
 * @param options.dataDir an existing data folder, which stays; else a temporary one
 * @param options.startTimeoutMs how long the first 200 may take, 120 s unless told
 */
export async function startServerProcess(
  options: {
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
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const log = () => readFile(logFile, 'utf8');
  const inherited = PASSED_ON.map((name) => [name, process.env[name]]);
  const settings = { PORT: String(port), HOST: '127.0.0.1', APP_URL: url, DATA_DIR: dataDir };
  const engine = await engineSettings(dataDir);

  let startupTime = 0;

  async function launch() {
    const file = openSync(logFile, 'a');
    const spawned = performance.now();
    const { prefix = [], args = [], program = programCommand } = options;
    const [command = '', ...parameters] = [...prefix, ...program, ...args];
    const surroundings = { ...Object.fromEntries(inherited), NODE_ENV: 'production' };
    const child = spawn(command, parameters, {
      cwd: builtProgram || options.program ? folder : ROOT,
      env: { ...surroundings, ...settings, ...engine, ...options.env },
      stdio: ['ignore', file, file],
    });
    closeSync(file);
    await becomesHealthy(child, url, log, options.startTimeoutMs);
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
    async restart(signal = 'SIGTERM') {
      const status = await end(child, signal);
      if (signal === 'SIGTERM' && status !== 0) throw new Error(endedWith(status, await log()));
      child = await launch();
    },
    async stop() {
      const status = await end(child, 'SIGTERM');
      const text = await log();
      if (!options.dataDir) await removeEngine(dataDir);
      await rm(folder, { recursive: true, force: true });
      if (status !== 0) throw new Error(endedWith(status, text));
    },
  };
}

async function becomesHealthy(
  child: ChildProcess,
  url: string,
  log: () => Promise<string>,
  timeoutMs = START_TIMEOUT_MS,
) {
  const deadline = Date.now() + timeoutMs;
  while (!(await answers(`${url}/health`))) {
    if (child.exitCode !== null || child.signalCode !== null || Date.now() > deadline) {
      child.kill('SIGKILL');
      throw new Error(`The server did not start:\n${tail(await log())}`);
    }
    await sleep(2);
  }
}

const answers = (url: string) =>
  fetch(url).then(
    (response) => response.ok,
    () => false,
  );

/** Its exit code, or the signal that ended it; one that does not end in time is killed. */
async function end(child: ChildProcess, signal: NodeJS.Signals) {
  if (child.exitCode === null && child.signalCode === null) {
    const exit = once(child, 'exit');
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT);
    child.kill(signal);
    await exit;
    clearTimeout(timer);
  }
  return child.exitCode ?? child.signalCode;
}

const endedWith = (status: number | string | null, log: string) =>
  `The server ended with ${status}:\n${tail(log)}`;

const tail = (text: string) => text.split('\n').slice(-30).join('\n');
