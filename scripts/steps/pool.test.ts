import { expect, test } from 'bun:test';
import { runJobs, slowestLines } from './pool.mjs';

/** Creates jobs that end on request, and a list of those that have started. */
function jobsOf(...names: string[]) {
  const started: string[] = [];
  const ends = new Map<string, (failed: string[]) => void>();
  const jobs = names.map((name) => ({
    name,
    async run() {
      started.push(name);
      const failed = await new Promise<string[]>((resolve) => ends.set(name, resolve));
      return { tally: { passed: 1, failed, skipped: [] }, output: failed.join() };
    },
  }));
  const end = async (name: string, ...failed: string[]) => {
    ends.get(name)?.(failed);
    await Bun.sleep(1);
  };
  return { started, jobs, end };
}

test('some jobs run at once and no more; the next begins when one ends, results keep the order', async () => {
  const { started, jobs, end } = jobsOf('a', 'b', 'c');
  const results = runJobs(jobs, { concurrency: 2, print() {} });
  expect(started).toEqual(['a', 'b']);
  await end('b');
  expect(started).toEqual(['a', 'b', 'c']);
  await end('c');
  await end('a');
  expect((await results).map(({ name }) => name)).toEqual(['a', 'b', 'c']);
});

test('each job is told as it ends, with what its failed tests have said', async () => {
  const { jobs, end } = jobsOf('a', 'b');
  const lines: string[] = [];
  const all = runJobs(jobs, { concurrency: 2, print: (line) => lines.push(line) });
  await end('b', 'b: it is wrong');
  await end('a');
  await all;
  expect(lines).toEqual([
    expect.stringMatching(/^ +1\/2 FAILED +b \(1 passed, 1 failed, [\d.]+ s\)$/),
    'b: it is wrong',
    expect.stringMatching(/^ +2\/2 ok +a \(1 passed, [\d.]+ s\)$/),
  ]);
});

test('what still runs is named now and then, and not after the end', async () => {
  const { jobs, end } = jobsOf('a', 'b');
  const lines: string[] = [];
  const report = Promise.withResolvers<void>();
  const print = (line: string) => {
    lines.push(line);
    report.resolve();
  };
  const all = runJobs(jobs, { concurrency: 2, print, intervalMs: 10 });
  await report.promise;
  expect(lines[0]).toBe('running: a, b');
  await end('a');
  await end('b');
  await all;
  const count = lines.length;
  await Bun.sleep(50);
  expect(lines).toHaveLength(count);
});

test('a job that breaks the run is not passed over', async () => {
  const failing = { name: 'a', run: () => Promise.reject(new Error('no disk')) };
  expect(runJobs([failing], { concurrency: 2, print() {} })).rejects.toThrow('no disk');
});

test('the slowest come first', () => {
  const done = [10, 3000, 200].map((ms, at) => ({
    name: `file ${at}`,
    ms,
    tally: { passed: 1, failed: [], skipped: [] },
    output: '',
  }));
  expect(slowestLines(done, 2)).toEqual(['   3.0 s  file 1', '   0.2 s  file 2']);
  const parts = done.map(({ name, ms }) => ({ name, ms }));
  expect(slowestLines([{ ...done[0], name: 'folder', ms: 5000, parts } as never], 1)).toEqual([
    '   3.0 s  file 1',
  ]);
});
