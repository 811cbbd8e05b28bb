/** Properties of a value, by name, that differ from those of a text or an array. */
export type Special = Record<string, unknown>;

const METHODS_OF_TEXT = new Set(Object.getOwnPropertyNames(String.prototype));
const METHODS_OF_ARRAY = new Set(Object.getOwnPropertyNames(Array.prototype));

/**
 * Returns a value that can stand for any argument or column: it is the text '1', the number 1, a list of
 * one such value, and an object whose properties are such values. `special` has the properties that are
 * something else, and `watch` is called with the name of each property that is read.
 */
export function anyValue(special: Special, watch: (name: string) => boolean = () => true): unknown {
  const value: unknown = new Proxy([] as unknown[], {
    get(list, name, receiver) {
      if (name === Symbol.toPrimitive) return (hint: string) => (hint === 'string' ? '1' : 1);
      if (name === Symbol.iterator) return list.values.bind([anyValue(special)]);
      if (name === 'toJSON') return () => '1';
      if (typeof name === 'symbol' || name === 'then') return undefined;
      if (Object.hasOwn(special, name)) return special[name];
      if (name === 'length') return 1;
      if (METHODS_OF_ARRAY.has(name)) return Reflect.get(list, name, receiver);
      if (METHODS_OF_TEXT.has(name)) {
        const method = String.prototype[name as keyof string] as unknown;
        return typeof method === 'function' ? method.bind('1') : method;
      }
      if (!watch(name)) return undefined;
      return anyValue(special);
    },
    has: (list, name) => name === '0' || Reflect.has(list, name),
  });
  return value;
}

/** Returns what a parameter of a statement is bound to: every column takes the text '1'. */
export const toParameter = (value: unknown): unknown =>
  value === undefined || Number.isNaN(value) || (typeof value === 'object' && value !== null)
    ? '1'
    : value;
