import { expect, test } from 'bun:test';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../tests/support/client/wait.ts';
import { runStep } from './step.mjs';

const SECOND = 1000;

const run = (script: string, timeLimit = 20 * SECOND) =>
  runStep(['sh', '-c', script], {
    cwd: import.meta.dir,
    timeLimit,
    leftoversTimeoutMs: SECOND,
  });

/** Whether a process is live. A zombie is not. */
async function lives(pid: number) {
  const stat = await Bun.file(`/proc/${pid}/stat`)
    .text()
    .catch(() => '');
  return stat !== '' && !/\) Z /.test(stat);
}

test('a step that ends by itself is told with its status and all it said', async () => {
  const outcome = await run('echo out; echo err >&2; exit 3');
  expect(outcome).toMatchObject({ status: 3, fault: null });
  expect(outcome.output.split('\n').sort()).toEqual(['', 'err', 'out']);
});

test('a step has no input to wait for', async () => {
  expect(await run('cat')).toMatchObject({ status: 0, output: '', fault: null });
});

test('a step that hangs is ended with its children, and that is a fault', async () => {
  const outcome = await run('sleep 600 & echo $!; wait', SECOND);
  expect(outcome.fault).toStartWith('timed out after 1 s');
  expect(await lives(Number(outcome.output))).toBe(false);
});

test('a program that is not there is a fault', async () => {
  const missing = runStep(['/nowhere/program'], { cwd: '/', timeLimit: SECOND });
  expect((await missing).fault).toContain('ENOENT');
});

test('a step that dies by a signal is a fault', async () => {
  expect((await run('kill -SEGV $$')).fault).toBe('killed by SIGSEGV');
});

/** Until it runs its program, a process has the name of the shell. */
const IS_STARTED = 'until grep -qx sleep /proc/$!/comm; do :; done;';

test.skipIf(process.platform !== 'linux').each([
  ['in its process group', 'sleep 611 >/dev/null 2>&1 &', 'sleep 611'],
  ['in a session of its own', 'setsid sleep 612 >/dev/null 2>&1 &', 'sleep 612'],
])('a process left behind %s is ended and named', async (_, script, name) => {
  const { fault, output } = await run(`${script} ${IS_STARTED} echo $!`);
  expect(fault).toBe(`left processes running: ${name}`);
  expect(await lives(Number(output))).toBe(false);
});

test.skipIf(process.platform !== 'linux')(
  'of two steps at once, the end of one touches no process of the other',
  async () => {
    const [one, other] = await Promise.all([
      run(`sleep 613 >/dev/null 2>&1 & ${IS_STARTED} echo $!`),
      run('sleep 2; echo alive'),
    ]);
    expect(one.fault).toBe('left processes running: sleep 613');
    expect(other).toMatchObject({ status: 0, output: 'alive\n', fault: null });
  },
);

/** A program that runs two steps at once, one of which has left its process group. Each signal ends it. */
const TWO = `
import { endRunningSteps, runStep } from '${join(import.meta.dir, 'step.mjs')}';
process.on('SIGTERM', () => { endRunningSteps(); process.exit(130); });
for (const before of ['', 'setsid ']) {
  runStep(['sh', '-c', before + 'sleep 614 & echo $! >>pids; wait'], { cwd: process.cwd() });
}
`;

test.skipIf(process.platform !== 'linux')(
  'a run that is told to end ends all that its steps have started',
  async () => {
    const cwd = await mkdtemp(join(tmpdir(), 'wharf-steps-'));
    const child = Bun.spawn(['node', '--input-type=module', '-e', TWO], { cwd });
    const pids = async () =>
      (await readFile(join(cwd, 'pids'), 'utf8').catch(() => '')).split('\n').filter(Boolean);
    await until(async () => (await pids()).length === 2);
    child.kill();
    expect(await child.exited).toBe(130);
    for (const pid of await pids()) await until(async () => !(await lives(Number(pid))));
    await rm(cwd, { recursive: true });
  },
);
