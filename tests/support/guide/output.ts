const ANYTHING = '…';

/**
 * Whether a sample said what its page promises. JSON is compared by value: a text with `…` stands for
 * any that fits, `"…"` for any value, and the key `"…"` for all that are not named. Other text is
 * compared word for word, with `…` for anything.
 */
export function isAsPromised(promised: string, said: string): boolean {
  const wanted = documentsIn(promised);
  const got = wanted && documentsIn(said);
  if (wanted) return got !== null && fits(wanted, got);
  return fitsText(promised.trim(), said.trim());
}

/** The JSON in a text: one document, or one on each line. Null where it is none. */
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
