import { expect, test } from 'bun:test';
import { missingOf, sendMissing } from './send-missing.ts';

/** A server that keeps chunks and answers 'file' once it has them all. */
function serverOf(total: number, kept: number[] = []) {
  const there = new Set(kept);
  const sent: number[] = [];
  let asked = 0;
  return {
    there,
    sent,
    asked: () => asked,
    send: async (number: number) => {
      sent.push(number);
      there.add(number);
      return there.size === total ? 'file' : null;
    },
    ask: async () => {
      asked += 1;
      return [...there];
    },
  };
}

test('only what has not arrived is missing, in sequence', () => {
  expect(missingOf(5, [3, 0, 1])).toEqual([2, 4]);
  expect(missingOf(2, [0, 1])).toEqual([]);
  expect(missingOf(2, [])).toEqual([0, 1]);
});

test('all chunks go in sequence, and nothing is asked', async () => {
  const server = serverOf(3);
  expect(await sendMissing(3, [], server.send, server.ask)).toBe('file');
  expect(server.sent).toEqual([0, 1, 2]);
  expect(server.asked()).toBe(0);
});

test('only the missing ones go, each told what is there without it', async () => {
  const server = serverOf(4, [0, 2]);
  const told: number[][] = [];
  const send = (number: number, before: readonly number[]) => {
    told.push([...before]);
    return server.send(number);
  };
  await sendMissing(4, [0, 2], send, server.ask);
  expect(server.sent).toEqual([1, 3]);
  expect(told).toEqual([
    [0, 2],
    [0, 2, 1],
  ]);
});

test('what the server has forgotten meanwhile goes again', async () => {
  const server = serverOf(4);
  const send = (number: number) => {
    if (number === 2 && server.sent.length === 2) server.there.clear();
    return server.send(number);
  };
  expect(await sendMissing(4, [], send, server.ask)).toBe('file');
  expect(server.sent).toEqual([0, 1, 2, 3, 0, 1]);
});

test('where all have arrived but nobody heard of the file, the last one goes again', async () => {
  const server = serverOf(3, [0, 1, 2]);
  expect(await sendMissing(3, [0, 1, 2], server.send, server.ask)).toBe('file');
  expect(server.sent).toEqual([2]);
});

test('a server that never has them all is not asked for ever', async () => {
  const server = serverOf(3);
  const failure = await sendMissing(2, [], server.send, server.ask).catch((error) => error);
  expect(failure.message).toBe('An unexpected error occurred.');
  expect(server.sent.length).toBeLessThan(6);
});
