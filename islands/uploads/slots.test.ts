import { expect, test } from 'bun:test';
import { slots } from './slots.ts';

const signal = () => new AbortController().signal;
const settle = () => new Promise((resolve) => setTimeout(resolve));

test('only so many work at once, and the others come in their order', async () => {
  const take = slots(2);
  const order: string[] = [];
  const giveBack = await take(signal());
  await take(signal());
  for (const name of ['third', 'fourth']) void take(signal()).then(() => order.push(name));
  await settle();
  expect(order).toEqual([]);
  giveBack();
  await settle();
  expect(order).toEqual(['third']);
});

test('who stops waiting leaves the line, and takes nobody’s turn', async () => {
  const take = slots(1);
  const giveBack = await take(signal());
  const controller = new AbortController();
  const left = take(controller.signal).catch((reason) => reason);
  const next = take(signal());
  controller.abort('stopped');
  expect(await left).toBe('stopped');
  giveBack();
  (await next)();
  expect(await take(signal())).toBeFunction();
});
