import { afterCommit } from '../db/after-commit.ts';
import { createListeners, decodeMessage, encodeMessage } from './listeners.ts';
import type { Events } from './port.ts';

/**
 * Opens events within one process, where there are never gaps. Messages are encoded as JSON here too, so
 * that code which works here also works on PostgreSQL.
 * @param onError called with what a listener throws
 */
export function openMemoryEvents({ onError }: { onError: (error: unknown) => void }): Events {
  const topics = createListeners<unknown>(onError);
  let closed = false;
  const callListeners = (text: string) => {
    // Listeners are called in a microtask, so that what one of them publishes comes after the event it
    // was called for.
    queueMicrotask(() => {
      // Each listener gets its own copy of the payload, so that none can change what another one sees.
      const message = decodeMessage(text);
      topics.call(message.topic, message.payload);
    });
  };
  return {
    async publish(topic, payload) {
      if (closed) throw new Error('The events are closed.');
      callListeners(encodeMessage(topic, payload));
    },
    async publishIn(tx, topic, payload) {
      const text = encodeMessage(topic, payload);
      afterCommit(tx, () => callListeners(text));
    },
    subscribe: topics.add,
    onGap: () => () => {},
    async close() {
      closed = true;
      topics.clear();
    },
  };
}
