import { expect, test } from 'bun:test';
import {
  descendantsOf,
  parseProcessorTime,
  peakMemory,
  processorTimeOf,
  resetPeakMemory,
} from './processes.ts';

test("a process's own time and that of its ended children count, whatever its name is", () => {
  const name = '(wharf) 1 2 (x)';
  const stat = `42 (${name}) S 1 42 42 0 -1 4194560 900 0 3 0 120 30 7 3 20 0 12 0 8200 1000 500`;
  expect(parseProcessorTime(stat)).toBe(1600);
});

/** A shell that waits for a shell which burns processor time, and tells when it has. */
const burning = `sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; echo done; read line'; true`;

test('the time of running children counts, and stays when they have ended', async () => {
  const parent = Bun.spawn(['sh', '-c', `(${burning}); echo ended; read line`], {
    stdin: 'pipe',
    stdout: 'pipe',
  });
  const output = parent.stdout.getReader();
  try {
    await output.read();
    const running = await processorTimeOf(parent.pid);
    expect((await descendantsOf(parent.pid)).length).toBeGreaterThan(0);
    expect(running).toBeGreaterThan(0);
    parent.stdin.write('\n');
    await parent.stdin.flush();
    await output.read();
    expect(await descendantsOf(parent.pid)).toEqual([]);
    expect(await processorTimeOf(parent.pid)).toBeGreaterThanOrEqual(running);
  } finally {
    parent.kill();
    await parent.exited;
  }
});

test('the peak memory of a process can begin anew', async () => {
  const script = `x=$(head -c 50000000 /dev/zero | tr '\\0' x); x=; echo done; read line`;
  const child = Bun.spawn(['sh', '-c', script], { stdin: 'pipe', stdout: 'pipe' });
  try {
    await child.stdout.getReader().read();
    expect(await peakMemory(child.pid)).toBeGreaterThan(40);
    await resetPeakMemory(child.pid);
    expect(await peakMemory(child.pid)).toBeLessThan(40);
  } finally {
    child.kill();
    await child.exited;
  }
});
