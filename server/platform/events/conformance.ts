import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { Events } from './port.ts';

export type OpenEvents = (onError: (error: unknown) => void) => Promise<Events>;

/** Waits until `holds` returns true. Fails the test after more time than a busy machine needs. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 100_000;
  while (!(await holds()) && Date.now() < deadline) await Bun.sleep(5);
  expect(await holds()).toBe(true);
}

/** Tests that every implementation of events passes, within one process and between several. */
export function describeEvents(name: string, open: OpenEvents) {
  describe(name, () => {
    let events: Events;
    let errors: unknown[];
    beforeEach(async () => {
      errors = [];
      events = await open((error) => errors.push(error));
    });
    afterEach(() => events.close());

    /** Resolves when everything that was published before has arrived. */
    async function settle() {
      let arrived = false;
      const stop = events.subscribe('settle', () => {
        arrived = true;
      });
      await events.publish('settle', null);
      await until(() => arrived);
      stop();
    }
    function collect(topic: string) {
      const received: unknown[] = [];
      const stop = events.subscribe(topic, (payload) => received.push(payload));
      return { received, stop };
    }

    test('brings a payload as it was, once to each listener, the publisher’s own included', async () => {
      const payload = { id: 'ä"\'\\\n💥', list: [1, null, true], deep: { of: 'course' } };
      const one = collect('files');
      const two = collect('files');
      await events.publish('files', payload);
      await settle();
      expect(one.received).toEqual([payload]);
      expect(two.received).toEqual([payload]);
      expect(errors).toEqual([]);
    });

    test('gives no listener what another has changed', async () => {
      events.subscribe('files', (payload) => Object.assign(payload as object, { id: 'changed' }));
      const payload = { id: 'mine' };
      await events.publish('files', payload);
      await settle();
      expect(payload).toEqual({ id: 'mine' });
    });

    test.each([[null], [0], [''], ['text'], [[]], [{}]])('brings %j', async (payload) => {
      const { received } = collect('any');
      await events.publish('any', payload);
      await settle();
      expect(received).toEqual([payload]);
    });

    test('brings nothing of another topic', async () => {
      const { received } = collect('files');
      for (const topic of ['file', 'files2', 'Files', 'files:1', 'constructor', '']) {
        await events.publish(topic, topic);
      }
      await settle();
      expect(received).toEqual([]);
    });

    test('brings nothing to one who has unsubscribed, twice or in the middle of a call', async () => {
      const { received, stop } = collect('files');
      stop();
      stop();
      const subscription = collect('files');
      const stopLater = events.subscribe('files', () => later.stop());
      const later = collect('files');
      await events.publish('files', 1);
      await settle();
      expect(received).toEqual([]);
      expect(later.received).toEqual([]);
      expect(subscription.received).toEqual([1]);
      stopLater();
    });

    test('counts one function that subscribes twice as two listeners', async () => {
      const received: unknown[] = [];
      const listener = (payload: unknown) => received.push(payload);
      const stop = events.subscribe('files', listener);
      events.subscribe('files', listener);
      await events.publish('files', 1);
      await settle();
      expect(received).toEqual([1, 1]);
      stop();
      await events.publish('files', 2);
      await settle();
      expect(received).toEqual([1, 1, 2]);
    });

    test('goes on when a listener throws, and says so', async () => {
      const failure = new Error('listener');
      events.subscribe('files', () => {
        throw failure;
      });
      const { received } = collect('files');
      await events.publish('files', 1);
      await events.publish('files', 2);
      await settle();
      expect(received).toEqual([1, 2]);
      expect(errors).toEqual([failure, failure]);
    });

    test('keeps the order of one publisher, who does not wait in between', async () => {
      const { received } = collect('count');
      const numbers = Array.from({ length: 300 }, (_, index) => index);
      await Promise.all(numbers.map((number) => events.publish('count', number)));
      await settle();
      expect(received).toEqual(numbers);
    });

    test('brings what a listener publishes after what it was called for', async () => {
      const order: unknown[] = [];
      events.subscribe('first', () => void events.publish('second', 'second'));
      events.subscribe('first', (payload) => order.push(payload));
      events.subscribe('second', (payload) => order.push(payload));
      await events.publish('first', 'first');
      await until(() => order.length === 2);
      expect(order).toEqual(['first', 'second']);
    });

    test('takes up to 7999 bytes, counted as bytes, and never cuts more', async () => {
      const { received } = collect('t');
      const frame = JSON.stringify(['t', '']).length;
      const longest = 'ä'.repeat(Math.floor((7999 - frame) / 2));
      await events.publish('t', longest);
      await expect(events.publish('t', `${longest}ä`)).rejects.toThrow('over 7999');
      await settle();
      expect(received).toEqual([longest]);
    });

    test('reports no gap while there is none', async () => {
      let gaps = 0;
      const stop = events.onGap(() => {
        gaps += 1;
      });
      await settle();
      expect(gaps).toBe(0);
      stop();
    });

    test('brings nothing after it was closed', async () => {
      const { received } = collect('files');
      const pending = events.publish('files', 1);
      await pending;
      await settle();
      await events.close();
      await expect(events.publish('files', 2)).rejects.toThrow();
      expect(received).toEqual([1]);
    });
  });
}
