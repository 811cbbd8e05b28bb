import { createListeners, decodeMessage, encodeMessage } from './listeners.ts';
import type { Events } from './port.ts';

/**
 * Events within one process, where there are never gaps. A message takes the way through
 * JSON all the same, so that what works here works on PostgreSQL.
 * @param onError what a listener threw
 */
export function openMemoryEvents({ onError }: { onError: (error: unknown) => void }): Events {
  const topics = createListeners<unknown>(onError);
  let closed = false;
  return {
    async publish(topic, payload) {
      if (closed) throw new Error('The events are closed.');
      const text = encodeMessage(topic, payload);
      // Later, so that what a listener publishes comes after what it was called for.
      queueMicrotask(() => {
        // Each listener gets its own copy, so that none can change what another one sees.
        const message = decodeMessage(text);
        topics.call(message.topic, message.payload);
      });
    },
    subscribe: topics.add,
    onGap: () => () => {},
    async close() {
      closed = true;
      topics.clear();
    },
  };
}
