import { expect, test } from 'bun:test';
import { tmpdir } from 'node:os';
import { until } from '../testing/processes.ts';
import { runTool } from './process.ts';
import { ProcessorTime } from './processor-time.ts';

const limits = { cpuSeconds: 100, memoryBytes: 2 ** 30, fileBytes: 0 };
const BUSY = 'while :; do :; done';

function shell(script: string, signal = new AbortController().signal) {
  const command = ['sh', '-c', script];
  return runTool({ command, cwd: tmpdir(), timeoutMs: 540_000, signal, limits });
}

test('what the tools of some work do is counted while they run and after, and what those of other work do is not', async () => {
  const [busy, other] = [new ProcessorTime(), new ProcessorTime()];
  const abort = new AbortController();
  const running = busy.measure(() => shell(BUSY, abort.signal)).catch((error) => error);
  await until(() => busy.ms >= 300);
  abort.abort(new Error('enough'));
  expect(await running).toMatchObject({ message: 'enough' });
  const counted = busy.ms;
  expect(counted).toBeGreaterThanOrEqual(300);
  await other.measure(() => shell('true'));
  expect(busy.ms).toBe(counted);
  expect(other.ms).toBeGreaterThan(0);
});

test('what a tool did before it was counted, and does after, is not counted', async () => {
  const abort = new AbortController();
  const [all, some] = [new ProcessorTime(), new ProcessorTime()];
  const child = Bun.spawn(['sh', '-c', BUSY], { signal: abort.signal });
  all.started(child.pid);
  await until(() => all.ms >= 100);
  some.started(child.pid);
  await until(() => some.ms >= 50);
  some.ended(child.pid);
  const counted = some.ms;
  await until(() => all.ms > counted + 200);
  expect(some.ms).toBe(counted);
  abort.abort();
  await child.exited;
});

test('a tool that waits has no time', async () => {
  const [waiting, none] = [new ProcessorTime(), new ProcessorTime()];
  await none.measure(() => shell('true'));
  await waiting.measure(() => shell('sleep 1'));
  // Only the start counts, which takes longer on a slow machine.
  expect(waiting.ms - none.ms).toBeLessThan(900);
});
