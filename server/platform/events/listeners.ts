/** PostgreSQL's NOTIFY takes a payload "shorter than 8000 bytes", so no adapter accepts more. */
export const MAX_BYTES = 7999;

type Listener<Value> = (value: Value) => void;

/**
 * Returns a registry of listeners by name. An error that a listener throws goes to `onError` and affects
 * neither the other listeners nor the caller.
 */
export function createListeners<Value>(onError: (error: unknown) => void) {
  const byName = new Map<string, Set<{ listener: Listener<Value> }>>();
  return {
    /** Adds a listener and returns the function that removes it. */
    add(name: string, listener: Listener<Value>): () => void {
      const entry = { listener };
      const entries = byName.get(name) ?? new Set();
      byName.set(name, entries.add(entry));
      return () => {
        entries.delete(entry);
        if (entries.size === 0 && byName.get(name) === entries) byName.delete(name);
      };
    },

    /**
     * Calls the listeners that are registered now. Listeners added during the call are not called, and
     * neither are those removed before their turn.
     */
    call(name: string, value: Value) {
      const entries = byName.get(name);
      for (const entry of [...(entries ?? [])]) {
        if (!entries?.has(entry)) continue;
        try {
          entry.listener(value);
        } catch (error) {
          onError(error);
        }
      }
    },

    clear() {
      for (const entries of byName.values()) entries.clear();
      byName.clear();
    },
  };
}

/**
 * Returns a message as text. Throws when it is too long; a publisher should send ids and let receivers
 * fetch the rest.
 */
export function encodeMessage(topic: string, payload: unknown): string {
  const text = JSON.stringify([topic, payload]);
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_BYTES) {
    throw new Error(`An event on '${topic}' takes ${bytes} bytes, over ${MAX_BYTES}.`);
  }
  return text;
}

/**
 * Parses the text of a message. Throws for text that `encodeMessage` did not make, because any client of
 * the database can send a notification.
 */
export function decodeMessage(text: string): { topic: string; payload: unknown } {
  const message: unknown = JSON.parse(text);
  if (!Array.isArray(message) || message.length !== 2 || typeof message[0] !== 'string') {
    throw new Error('Not an event of ours.');
  }
  return { topic: message[0], payload: message[1] };
}
