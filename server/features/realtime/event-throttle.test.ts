import { expect, test } from 'bun:test';
import { EventThrottle } from './event-throttle.ts';

function open() {
  const sent: string[] = [];
  let due: (() => void)[] = [];
  const throttle = new EventThrottle((run) => due.push(run));
  return {
    sent,
    send: (key: string, text: string) => throttle.run(key, () => sent.push(text)),
    /** Lets a second pass. Returns how many keys were waiting for that. */
    pass() {
      const now = due;
      due = [];
      for (const run of now) run();
      return now.length;
    },
  };
}

test('the first message goes out at once, and of many more only the last, once a second', () => {
  const { sent, send, pass } = open();
  for (let at = 0; at < 100; at += 1) send('a', `a${at}`);
  expect(sent).toEqual(['a0']);
  pass();
  expect(sent).toEqual(['a0', 'a99']);
  send('a', 'a100');
  expect(sent).toEqual(['a0', 'a99']);
  pass();
  expect(sent).toEqual(['a0', 'a99', 'a100']);
});

test('keys do not wait for each other, and one that is silent is forgotten', () => {
  const { sent, send, pass } = open();
  send('a', 'a');
  send('b', 'b');
  expect(sent).toEqual(['a', 'b']);
  expect([pass(), pass()]).toEqual([2, 0]);
  send('a', 'again');
  expect(sent).toEqual(['a', 'b', 'again']);
});
