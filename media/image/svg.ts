import { permanentFailure } from '../media-failure.ts';
import { createRandomAccess } from '../strip-metadata/random-access.ts';
import { xmlTokens } from '../strip-metadata/xml-tokens.ts';

/** librsvg takes half a kilobyte for each. */
const MAX_ELEMENTS = 200_000;
/** What an SVG could be compressed with. */
const GZIP = Buffer.from([0x1f, 0x8b]);

/**
 * Checks that an SVG fits into memory, before anything reads it. How long it takes to draw is up to its style
 * sheets, filters, patterns, masks and markers, which nobody can tell beforehand, so decoders have a limit
 * of processor time for it. Throws a permanent MediaFailure.
 */
export function checkSvg(bytes: Buffer): void {
  // Nobody can upload it, and it would have to be unpacked to be counted.
  refuseIf(bytes.subarray(0, GZIP.length).equals(GZIP), 'must not be compressed');
  const file = createRandomAccess(bytes.length, (window, position) =>
    bytes.copy(window, 0, position),
  );
  let elements = 0;
  for (const { kind, start, end } of xmlTokens(file)) {
    const text = () => bytes.toString('latin1', start, end);
    if (kind === 'open') elements += 1;
    refuseIf(elements > MAX_ELEMENTS, 'has too many elements');
    // Elements of another document, or of an entity, would not be counted.
    const isNested =
      (kind === 'attribute' && /=\s*["']\s*data:image\/svg/i.test(text())) ||
      (kind === 'doctype' && /["'][\s\S]*</.test(text()));
    refuseIf(isNested, 'contains another SVG');
  }
}

function refuseIf(isRefused: boolean, what: string): void {
  if (isRefused) throw permanentFailure(`The SVG ${what}.`);
}
