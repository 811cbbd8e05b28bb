import { expect, test } from 'bun:test';
import { tmpdir } from 'node:os';
import { scratch } from '../testing/clips.ts';
import { isRunning, until } from '../testing/processes.ts';
import { runTool, ToolFailedError, type ToolRun } from './process.ts';

const limits = { cpuSeconds: 20, memoryBytes: 2 ** 30, fileBytes: 2 ** 20 };

function shell(script: string, more: Partial<ToolRun> = {}) {
  return runTool({
    command: ['sh', '-c', script],
    cwd: tmpdir(),
    timeoutMs: 540_000,
    signal: new AbortController().signal,
    limits,
    ...more,
  });
}

async function failureOf(run: Promise<unknown>): Promise<ToolFailedError> {
  const error = await run.catch((cause) => cause);
  if (!(error instanceof ToolFailedError)) throw new Error('It did not fail as a tool.');
  return error;
}

test('a tool that succeeds gives its output', async () => {
  expect(await shell('echo out; echo err >&2')).toEqual({ stdout: 'out\n', stderrTail: 'err' });
});

test('lines of output are reported whole, also the last without an end', async () => {
  const lines: string[] = [];
  await shell('printf "a=1\\nb="; sleep 0.1; printf "2\\nc=3"', {
    onStdoutLine: (line) => lines.push(line),
  });
  expect(lines).toEqual(['a=1', 'b=2', 'c=3']);
});

test('a tool that fails tells its exit code and the end of its complaint', async () => {
  const failure = await failureOf(
    shell('head -c 100000 /dev/zero | tr "\\0" x >&2; echo last >&2; exit 7'),
  );
  expect(failure.exitCode).toBe(7);
  expect(failure.timedOut).toBe(false);
  expect(failure.stderrTail.length).toBeLessThanOrEqual(8192);
  expect(failure.stderrTail).toEndWith('last');
});

test('endless output is not kept in memory', async () => {
  const { stdout } = await shell('head -c 5000000 /dev/zero | tr "\\0" x');
  expect(stdout.length).toBe(1024 * 1024);
});

test('a tool sees nothing of our environment and has no input', async () => {
  const { stdout } = await shell('env; cat');
  const names = stdout.split('\n').map((line) => line.split('=')[0]);
  expect(names).not.toContain('HOME');
  expect(names).toContain('PATH');
});

test('a tool is killed when the job is aborted', async () => {
  const abort = new AbortController();
  let pid = 0;
  const run = shell('trap "" TERM; echo $$; exec sleep 60', {
    signal: abort.signal,
    onStdoutLine: (line) => {
      pid = Number(line);
      abort.abort(new Error('cancelled'));
    },
  });
  await expect(run).rejects.toThrow('cancelled');
  expect(isRunning(pid)).toBe(false);
});

test('a job that is aborted already starts nothing', async () => {
  const run = shell('echo started', {
    signal: AbortSignal.abort(new Error('cancelled')),
    onStdoutLine: () => {
      throw new Error('started');
    },
  });
  await expect(run).rejects.toThrow('cancelled');
});

test('a tool is killed at its time limit', async () => {
  let pid = 0;
  const failure = await failureOf(
    shell('echo $$; exec sleep 60', {
      timeoutMs: 200,
      onStdoutLine: (line) => (pid = Number(line)),
    }),
  );
  expect(failure.timedOut).toBe(true);
  expect(isRunning(pid)).toBe(false);
});

test('a tool that burns its processor time is stopped and says so', async () => {
  const failure = await failureOf(
    shell('while :; do :; done', { limits: { ...limits, cpuSeconds: 1 } }),
  );
  expect(failure.timedOut).toBe(true);
});

test('a tool cannot write a file past its limit', async () => {
  const folder = scratch();
  const run = { cwd: folder.path, isPrivate: true };
  await failureOf(shell('exec head -c 3000000 /dev/zero > made', run));
  expect(Bun.file(`${folder.path}/made`).size).toBe(2 ** 20);
  folder.remove();
});

test('a tool killed from outside is not counted as late', async () => {
  const failure = await failureOf(shell('kill -9 $$'));
  expect(failure.signal).toBe('SIGKILL');
  expect(failure.timedOut).toBe(false);
});

test('a tool dies with the process that started it, even at kill -9', async () => {
  const parent = Bun.spawn([process.execPath, `${import.meta.dir}/../testing/sleeper.ts`], {
    stdout: 'pipe',
  });
  const first = await parent.stdout.getReader().read();
  const pid = Number(new TextDecoder().decode(first.value));
  expect(isRunning(pid)).toBe(true);
  parent.kill('SIGKILL');
  await parent.exited;
  await until(() => !isRunning(pid));
});
