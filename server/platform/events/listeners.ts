/** PostgreSQL's NOTIFY takes a payload "shorter than 8000 bytes", so no adapter takes more. */
const MAX_BYTES = 7999;

type Listener<Value> = (value: Value) => void;

/**
 * Listeners by name. One that throws harms neither the others nor the caller: the error goes
 * to `onError`.
 */
export function createListeners<Value>(onError: (error: unknown) => void) {
  const byName = new Map<string, Set<{ listener: Listener<Value> }>>();
  return {
    /** Returns the function that takes the listener out again. */
    add(name: string, listener: Listener<Value>): () => void {
      const entry = { listener };
      const entries = byName.get(name) ?? new Set();
      byName.set(name, entries.add(entry));
      return () => {
        entries.delete(entry);
        if (entries.size === 0 && byName.get(name) === entries) byName.delete(name);
      };
    },

    /** Calls those who listen now; not those who come or have gone while others are called. */
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

/** One message as text. Throws when it is too long: send ids, and let receivers fetch the rest. */
export function encodeMessage(topic: string, payload: unknown): string {
  const text = JSON.stringify([topic, payload]);
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_BYTES) {
    throw new Error(`An event on '${topic}' takes ${bytes} bytes, over ${MAX_BYTES}.`);
  }
  return text;
}

/** Throws for what `encodeMessage` has not made: anybody in the database may notify. */
export function decodeMessage(text: string): { topic: string; payload: unknown } {
  const message: unknown = JSON.parse(text);
  if (!Array.isArray(message) || message.length !== 2 || typeof message[0] !== 'string') {
    throw new Error('Not an event of ours.');
  }
  return { topic: message[0], payload: message[1] };
}
