const ANYTHING = '…';

/**
 * Returns whether a sample wrote the output that its page shows. JSON is compared by value: `…` in a
 * string matches any text, `"…"` matches any value, and the key `"…"` any other keys. Other output is
 * compared as text, in which `…` matches anything.
 */
export function isAsPromised(promised: string, output: string): boolean {
  const expected = documentsIn(promised);
  const got = expected && documentsIn(output);
  if (expected) return got !== null && fits(expected, got);
  return fitsText(promised.trim(), output.trim());
}

/** Parses a text as one JSON document, or as one on each line. Returns null if it is not JSON. */
function documentsIn(text: string): unknown[] | null {
  for (const parts of [[text], text.trim().split('\n')]) {
    try {
      return parts.map((part) => JSON.parse(part));
    } catch {}
  }
  return null;
}

function fits(expected: unknown, got: unknown): boolean {
  if (expected === ANYTHING) return got !== undefined;
  if (typeof expected === 'string') return typeof got === 'string' && fitsText(expected, got);
  if (typeof expected !== 'object' || expected === null) return expected === got;
  if (typeof got !== 'object' || got === null) return false;
  const keys = Object.keys(expected).filter((key) => key !== ANYTHING);
  const isExact = ANYTHING in expected || keys.length === Object.keys(got).length;
  const value = (of: object, key: string) => (of as Record<string, unknown>)[key];
  return isExact && keys.every((key) => fits(value(expected, key), value(got, key)));
}

function fitsText(expected: string, got: string): boolean {
  const parts = expected.split(ANYTHING).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('[^]*')}$`).test(got);
}
