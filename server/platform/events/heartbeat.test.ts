import { expect, test } from 'bun:test';
import { Heartbeat } from './heartbeat.ts';

const beats = (heartbeat: Heartbeat, count: number) =>
  Array.from({ length: count }, () => heartbeat.beat());

test('a connection that is silent is asked once, and is deaf if it stays silent', () => {
  const round = ['alive', 'ask', 'alive', 'alive', 'deaf'] as const;
  expect(beats(new Heartbeat(), 10)).toEqual([...round, ...round]);
});

test('a connection that hears something is not, whether it was asked or not', () => {
  const heartbeat = new Heartbeat();
  for (const silentBeats of [0, 1, 4]) {
    expect(beats(heartbeat, silentBeats)).not.toContain('deaf');
    heartbeat.heard();
  }
  expect(beats(heartbeat, 4)).toEqual(['alive', 'ask', 'alive', 'alive']);
});
