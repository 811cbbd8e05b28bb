import { expect, test } from 'bun:test';
import { newId } from '../ids.ts';
import { MAX_BYTES } from './listeners.ts';
import { type Message, MessageSender } from './message-sender.ts';
import type { EventOutboxRow } from './tables.ts';

const NOW = Date.parse('2026-11-28T12:00:00Z');

/** Returns a sender with its notifications, of which each ends when the test says so. */
function open() {
  const sent: Message[][] = [];
  const ends: PromiseWithResolvers<void>[] = [];
  const sender = new MessageSender((messages) => {
    sent.push(messages);
    const end = Promise.withResolvers<void>();
    ends.push(end);
    return end.promise;
  });
  const texts = () => sent.map((messages) => messages.map(({ text }) => text));
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  return { sender, texts, ends, settle };
}

const row = (text: string): EventOutboxRow => ({ id: newId(NOW), text });

test('what comes while a notification is sent goes together in the next one, in its order', async () => {
  const { sender, texts, ends, settle } = open();
  sender.sendSoon(row('a'));
  const second = sender.send('b');
  sender.sendSoon(row('c'));
  sender.sendSoon(row('d'));
  expect(texts()).toEqual([['a']]);
  ends[0]?.resolve();
  await settle();
  expect(texts()).toEqual([['a'], ['b', 'c', 'd']]);
  ends[1]?.resolve();
  await second;
});

test('messages of the outbox are collected, until one comes that is waited for', async () => {
  const { sender, texts, ends, settle } = open();
  sender.sendSoon(row('a'));
  ends[0]?.resolve();
  await settle();
  for (const text of ['b', 'c']) sender.sendSoon(row(text));
  await settle();
  expect(texts()).toEqual([['a']]);
  const awaited = sender.send('d');
  await settle();
  expect(texts()).toEqual([['a'], ['b', 'c', 'd']]);
  ends[1]?.resolve();
  await awaited;
});

test('messages of the outbox that nobody follows are sent a moment later', async () => {
  const { sender, texts, ends } = open();
  sender.sendSoon(row('a'));
  ends[0]?.resolve();
  await Promise.resolve();
  sender.sendSoon(row('b'));
  while (texts().length < 2) await Bun.sleep(1);
  expect(texts()).toEqual([['a'], ['b']]);
});

test('no notification has more bytes than PostgreSQL takes, and no message is cut', async () => {
  const { sender, texts, ends, settle } = open();
  const first = sender.send('first');
  const half = 'ä'.repeat((MAX_BYTES - 1) / 4);
  const whole = 'x'.repeat(MAX_BYTES);
  const rest = [half, half, 'yyy', whole, 'z'].map((text) => sender.send(text));
  for (let at = 0; at < 4; at += 1) {
    ends[at]?.resolve();
    await settle();
  }
  ends[4]?.resolve();
  await Promise.all([first, ...rest]);
  expect(texts()).toEqual([['first'], [half, half], ['yyy'], [whole], ['z']]);
});

test('a notification that fails is told to those who wait for it, and the next one is sent', async () => {
  const { sender, texts, ends, settle } = open();
  const failing = sender.send('a');
  const next = sender.send('b');
  ends[0]?.reject(new Error('away'));
  await expect(failing).rejects.toThrow('away');
  await settle();
  ends[1]?.resolve();
  await next;
  await settle();
  expect(texts()).toEqual([['a'], ['b']]);
});

test('who closes it waits until what was collected is sent', async () => {
  const { sender, texts, ends, settle } = open();
  sender.sendSoon(row('a'));
  ends[0]?.resolve();
  await settle();
  sender.sendSoon(row('b'));
  let isClosed = false;
  const closing = sender.close().then(() => {
    isClosed = true;
  });
  await settle();
  expect([texts(), isClosed]).toEqual([[['a'], ['b']], false]);
  ends[1]?.resolve();
  await closing;
});
