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
