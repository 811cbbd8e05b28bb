import { beforeEach, expect, test } from 'bun:test';
import { openMemoryEvents } from '../../platform/events/memory.ts';
import { SESSION_EVENTS } from '../accounts/service.ts';
import { FILE_EVENTS } from '../files/service.ts';
import { Connections } from './connections.ts';
import { EventThrottle } from './event-throttle.ts';

let events: ReturnType<typeof openMemoryEvents>;
let connections: Connections;
let lookups: number;
let isLive: boolean;
let due: (() => void)[];

/** Lets a second pass for what is throttled. */
const runDue = () => {
  for (const run of due.splice(0)) run();
};

beforeEach(() => {
  [lookups, isLive] = [0, true];
  events = openMemoryEvents({
    onError: (error) => {
      throw error;
    },
  });
  const accounts = {
    async userOfPage() {
      lookups += 1;
      return isLive ? 'u' : null;
    },
  };
  due = [];
  const throttle = new EventThrottle((run) => due.push(run));
  connections = new Connections({ accounts, events, clock: () => 0, maxConnections: 2, throttle });
});

/** Opens a socket of the user, and returns what it receives. */
async function open(id: string, beforeAdd = async () => {}) {
  const request = new Request('http://localhost/ws');
  const userId = await connections.authorize(request);
  await beforeAdd();
  const received: (string | number)[] = [];
  const socket = {
    send: (text: string) => received.push(text),
    close: (code: number) => received.push(code),
  };
  if (userId !== null) connections.add(userId, id, socket, request);
  return received;
}

const settle = () => Bun.sleep(1);

test('a page costs one lookup, and its first events none', async () => {
  const received = await open('one');
  await events.publish(FILE_EVENTS, { userId: 'u', event: { type: 'file.success' } });
  await settle();
  expect([received, lookups]).toEqual([['{"type":"file.success"}'], 1]);
});

test('a page hears of two of a hundred files that are uploaded or deleted within a second', async () => {
  const received = await open('one');
  for (let at = 0; at < 100; at += 1) {
    const type = at % 2 === 0 ? 'file.created' : 'file.deleted';
    await events.publish(FILE_EVENTS, {
      userId: 'u',
      event: { type, bucket_id: 'b', file_id: at },
    });
  }
  await settle();
  expect(received).toEqual(['{"type":"file.created","bucket_id":"b","file_id":0}']);
  runDue();
  await settle();
  expect(received).toHaveLength(2);
  expect(received[1]).toBe('{"type":"file.deleted","bucket_id":"b","file_id":99}');
});

test('a session that ends while its page connects is noticed', async () => {
  const received = await open('one', async () => {
    isLive = false;
    await events.publish(SESSION_EVENTS, { userId: 'u' });
    await settle();
  });
  await settle();
  expect([received, lookups]).toEqual([[4401], 2]);
});

test('a process takes so many pages, and another one when one has gone', async () => {
  await open('one');
  await open('two');
  await expect(open('three')).rejects.toMatchObject({ status: 503, code: 'unavailable' });
  connections.remove('u', 'one');
  connections.remove('u', 'one');
  await open('three');
  await expect(open('four')).rejects.toMatchObject({ status: 503 });
  expect(lookups).toBe(3);
});
