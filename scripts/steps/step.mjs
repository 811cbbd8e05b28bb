import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { killGroup, leftovers } from './processes.mjs';

const GRACE = 5_000;
/** How long the processes of a step may take to end: a database server removes its files. */
const LEFTOVERS_TIMEOUT_MS = 5 * 60_000;
/** A step that takes longer hangs. */
const TIME_LIMIT = 2 * 60 * 60_000;
/** Every process that a step starts has this variable, so that all can be found afterwards. */
const MARK = 'WHARF_STEP';

/** One function for each running step, which ends it. @type {Set<() => void>} */
const running = new Set();
let stepCount = 0;

/**
 * The outcome of a step. `fault` says why its output can't be trusted: it crashed, hung or left processes
 * behind. It is null if the step ended by itself with `status`.
 * @typedef {{ status: number | null, output: string, fault: string | null, ms: number }} Outcome
 */

/**
 * Runs a command in its own process group, without input, then ends the processes that it left behind.
 * @param {string[]} command
 * @param {object} options
 * @param {string} options.cwd
 * @param {NodeJS.ProcessEnv} [options.env] added to this process's own
 * @param {number} [options.timeLimit] milliseconds
 * @param {number} [options.leftoversTimeoutMs] milliseconds that its processes may take to end
 * @param {(line: string) => void} [options.onLine] called with each line of its standard output
 * @returns {Promise<Outcome>}
 */
export async function runStep(
  command,
  { cwd, env = {}, timeLimit = TIME_LIMIT, leftoversTimeoutMs = LEFTOVERS_TIMEOUT_MS, onLine },
) {
  const started = performance.now();
  stepCount += 1;
  const mark = `${MARK}=${process.pid}.${stepCount}.${Date.now()}`;
  const [name, ...parameters] = command;
  const child = spawn(name ?? '', parameters, {
    cwd,
    env: { ...process.env, ...env, [MARK]: mark.slice(MARK.length + 1) },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  /** @type {Buffer[]} */
  const pieces = [];
  const end = () => {
    if (child.pid) killGroup(child.pid, 'SIGKILL');
    killLeftovers(child.pid, mark);
  };
  running.add(end);
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (piece) => pieces.push(piece));
  }

  if (onLine) createInterface({ input: child.stdout }).on('line', onLine);

  let hung = false;
  const timer = setTimeout(() => {
    hung = true;
    if (child.pid) killGroup(child.pid, 'SIGTERM');
    setTimeout(() => child.pid && killGroup(child.pid, 'SIGKILL'), GRACE).unref();
  }, timeLimit);
  const { status, error } = await waitForExit(child);
  clearTimeout(timer);
  const leftoverCommands = await endLeftovers(child.pid, mark, leftoversTimeoutMs);
  running.delete(end);
  const faults = [
    hung && `timed out after ${Math.round(timeLimit / 1000)} s`,
    error,
    leftoverCommands.length > 0 && `left processes running: ${leftoverCommands.join(', ')}`,
  ];
  return {
    status,
    output: Buffer.concat(pieces).toString(),
    fault: faults.filter(Boolean).join('; ') || null,
    ms: performance.now() - started,
  };
}

/** Ends the running steps and everything that they have started, when the run itself is stopped. */
export function endRunningSteps() {
  for (const end of running) end();
}

/**
 * Kills what a step has started. It looks again until nothing is left, because a process may have started
 * another one after it was listed and before it was killed.
 * @param {number | undefined} group @param {string} mark
 */
function killLeftovers(group, mark) {
  const deadline = Date.now() + GRACE;
  for (let left = leftovers(group, mark); left.length > 0; left = leftovers(group, mark)) {
    for (const { pid } of left) killGroup(pid, 'SIGKILL');
    if (Date.now() > deadline) return;
  }
}

/**
 * Waits for the end of the process and for the rest of its output, but not for ever: a process that the step
 * left behind holds the pipes open.
 * @param {import('node:child_process').ChildProcess} child
 * @returns {Promise<{ status: number | null, error: string | null }>}
 */
function waitForExit(child) {
  const closed = new Promise((resolve) => child.once('close', resolve));
  return new Promise((resolve) => {
    child.once('error', ({ message }) => resolve({ status: null, error: message }));
    child.once('exit', async (status, signal) => {
      await Promise.race([closed, sleep(1000)]);
      resolve({ status, error: signal && `killed by ${signal}` });
    });
  });
}

/** @param {number | undefined} group @param {string} mark @param {number} leftoversTimeoutMs */
async function endLeftovers(group, mark, leftoversTimeoutMs) {
  await waitForLeftovers(group, mark, leftoversTimeoutMs);
  const remaining = leftovers(group, mark);
  for (const { pid } of remaining) killGroup(pid, 'SIGKILL');
  await waitForLeftovers(group, mark, leftoversTimeoutMs);
  return remaining.map((one) => one.command);
}

/** @param {number | undefined} group @param {string} mark @param {number} leftoversTimeoutMs */
async function waitForLeftovers(group, mark, leftoversTimeoutMs) {
  const deadline = Date.now() + leftoversTimeoutMs;
  while (leftovers(group, mark).length > 0 && Date.now() < deadline) await sleep(100);
}
