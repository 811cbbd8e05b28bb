import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { until } from '../../tests/support/until.ts';
import { runStep } from './step.mjs';

const SECOND = 1000;

const run = (script: string, timeLimit = 20 * SECOND) =>
  runStep(['sh', '-c', script], {
    cwd: import.meta.dir,
    timeLimit,
    patience: SECOND,
    isQuiet: true,
  });

/** Whether a process lives; one that nobody has reaped yet does not. */
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
  expect(outcome.fault).toStartWith('it was stopped after 1 s');
  expect(await lives(Number(outcome.output))).toBe(false);
});

test('a program that is not there is a fault', async () => {
  const missing = runStep(['/nowhere/program'], { cwd: '/', timeLimit: SECOND, isQuiet: true });
  expect((await missing).fault).toContain('ENOENT');
});

test('a step that dies by a signal is a fault', async () => {
  expect((await run('kill -SEGV $$')).fault).toBe('it ended by SIGSEGV');
});

test.skipIf(process.platform !== 'linux').each([
  ['in its process group', 'sleep 611 >/dev/null 2>&1 &', 'sleep 611'],
  ['in a session of its own', 'setsid sleep 612 >/dev/null 2>&1 &', 'sleep 612'],
])('a process left behind %s is ended and named', async (_, script, name) => {
  const { fault, output } = await run(`${script} echo $!`);
  expect(fault).toBe(`it left running: ${name}`);
  expect(await lives(Number(output))).toBe(false);
});

test.skipIf(process.platform !== 'linux')(
  'of two steps at once, the end of one touches no process of the other',
  async () => {
    const [one, other] = await Promise.all([
      run('sleep 613 >/dev/null 2>&1 & echo $!'),
      run('sleep 2; echo alive'),
    ]);
    expect(one.fault).toBe('it left running: sleep 613');
    expect(other).toMatchObject({ status: 0, output: 'alive\n', fault: null });
  },
);

/** A program that runs two steps at once, which is told to end once both have said something. */
const TWO = `
import { endRunningSteps, runStep } from '${join(import.meta.dir, 'step.mjs')}';
const options = { cwd: '/', timeLimit: 20_000, isQuiet: false };
process.on('SIGTERM', () => { endRunningSteps(); process.exit(130); });
let said = 0;
process.on('SIGUSR2', () => (said += 1) === 2 && setTimeout(() => process.kill(process.pid, 'SIGTERM'), 200));
for (const name of ['one', 'two']) {
  runStep(['sh', '-c', 'echo ' + name + ' $$; kill -USR2 ' + process.pid + '; exec sleep 614'], options);
}
`;

test('a run that is told to end ends all of its steps, and tells what they have said', async () => {
  const child = Bun.spawn(['node', '--input-type=module', '-e', TWO], { stdout: 'pipe' });
  const output = await new Response(child.stdout).text();
  expect(await child.exited).toBe(130);
  const pids = [...output.matchAll(/^(one|two) (\d+)$/gm)].map(([, name, pid]) => ({ name, pid }));
  expect(pids.map(({ name }) => name).sort()).toEqual(['one', 'two']);
  // The kernel may still be at it.
  for (const { pid } of pids) await until(async () => !(await lives(Number(pid))), 5);
});

test('what a step says comes in one piece, once it is over', async () => {
  const program = `
import { runStep } from '${join(import.meta.dir, 'step.mjs')}';
const options = { cwd: '/', timeLimit: 20_000, isQuiet: false };
await Promise.all([
  runStep(['sh', '-c', 'echo a1; sleep 0.6; echo a2'], options),
  runStep(['sh', '-c', 'sleep 0.2; echo b1; sleep 1.2; echo b2'], options),
]);`;
  const child = Bun.spawn(['node', '--input-type=module', '-e', program], { stdout: 'pipe' });
  const pieces = ['a1\na2\n', 'b1\nb2\n'];
  const output = await new Response(child.stdout).text();
  expect([pieces.join(''), pieces.reverse().join('')]).toContain(output);
});
