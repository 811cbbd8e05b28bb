const ANYTHING = '…';

/**
 * Returns whether a sample wrote the output that its page shows. JSON is compared by value: `…` in a
 * string matches any text, `"…"` matches any value, and the key `"…"` any other keys. Other output is
 * compared as text, in which `…` matches anything.
 */
export function isAsPromised(promised: string, said: string): boolean {
  const wanted = documentsIn(promised);
  const got = wanted && documentsIn(said);
  if (wanted) return got !== null && fits(wanted, got);
  return fitsText(promised.trim(), said.trim());
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

function fits(wanted: unknown, got: unknown): boolean {
  if (wanted === ANYTHING) return got !== undefined;
  if (typeof wanted === 'string') return typeof got === 'string' && fitsText(wanted, got);
  if (typeof wanted !== 'object' || wanted === null) return wanted === got;
  if (typeof got !== 'object' || got === null) return false;
  const keys = Object.keys(wanted).filter((key) => key !== ANYTHING);
  const isWhole = ANYTHING in wanted || keys.length === Object.keys(got).length;
  const value = (of: object, key: string) => (of as Record<string, unknown>)[key];
  return isWhole && keys.every((key) => fits(value(wanted, key), value(got, key)));
}

function fitsText(wanted: string, got: string): boolean {
  const parts = wanted.split(ANYTHING).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('[^]*')}$`).test(got);
}
