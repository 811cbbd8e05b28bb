import { expect, test } from 'bun:test';
import { mediansOf, takeTurns, tasksOf } from './measurement.ts';
import { startJudging, summaryLine } from './targets.ts';

test('a figure meets its target or misses it, the bound included', () => {
  const { judge, tally } = startJudging(2);
  expect(judge(0.8, { atLeast: 0.8 })).toBe('target ≥ 0.8: met');
  expect(judge(0.79, { atLeast: 0.8 })).toBe('target ≥ 0.8: MISSED');
  expect(judge(300, { atMost: 300 })).toBe('target ≤ 300: met');
  expect(judge(301, { atMost: 300 })).toBe('target ≤ 300: MISSED');
  expect(tally).toEqual({ met: 2, missed: 2, notJudged: 0 });
});

test('above a load of 2 of other work nothing is judged', () => {
  const { judge, tally } = startJudging(2.01);
  expect(judge(0.8, { atLeast: 0.8 })).toBe('target ≥ 0.8: not judged');
  expect(judge(0.1, { atLeast: 0.8 })).toBe('target ≥ 0.8: not judged');
  expect(tally).toEqual({ met: 0, missed: 0, notJudged: 2 });
});

test('verdicts that are withdrawn count as not judged', () => {
  const { judge, tally, withdraw } = startJudging(0);
  judge(1, { atLeast: 0.8 });
  judge(0, { atLeast: 0.8 });
  withdraw();
  expect(tally).toEqual({ met: 0, missed: 0, notJudged: 2 });
});

test('the last line counts the targets and names the parts that did not finish', () => {
  const tallies = [
    { met: 3, missed: 1, notJudged: 0 },
    { met: 0, missed: 0, notJudged: 2 },
  ];
  expect(summaryLine(tallies, [])).toBe('targets: 3 met, 1 missed, 2 not judged');
  expect(summaryLine(tallies, ['server', 'admin'])).toBe(
    'targets: 3 met, 1 missed, 2 not judged; not finished: server, admin',
  );
});

test('the load of others is what runs or waits for a disk, without the process that looks', () => {
  expect(tasksOf('cpu 1 2\nprocs_running 4\nprocs_blocked 1\nsoftirq 9\n')).toBe(4);
  expect(tasksOf('procs_running 1\nprocs_blocked 0\n')).toBe(0);
});

test('sides take turns in changing order, and the first round does not count', async () => {
  const order: string[] = [];
  const figures = await takeTurns(2, {
    ours: async (round) => order.push(`ours ${round}`),
    peer: async (round) => order.push(`peer ${round}`),
  });
  expect(order).toEqual(['peer 0', 'ours 0', 'ours 1', 'peer 1', 'peer 2', 'ours 2']);
  expect(figures).toEqual({ ours: [3, 6], peer: [4, 5] });
});

test('a side that is left out has no figures, and each figure has its median', async () => {
  const figures = await takeTurns(3, {
    a: async (round) => ({ rate: round, time: -round }),
    b: undefined,
  });
  expect(figures.b).toEqual([]);
  expect(mediansOf(figures.a)).toEqual({ rate: 2, time: -2 });
  expect(() => mediansOf(figures.b)).toThrow('no medians');
});
