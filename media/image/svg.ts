import { permanentFailure } from '../media-failure.ts';
import { createRandomAccess } from '../strip-metadata/random-access.ts';
import { type XmlToken, xmlTokens } from '../strip-metadata/xml-tokens.ts';
import { needOfAttribute, needOfElement, needOfStyleSheet, type SvgNeed } from './svg-css.ts';
import { type SizeAttributes, svgSize } from './svg-size.ts';

/** librsvg takes half a kilobyte for each. */
const MAX_ELEMENTS = 200_000;
/** What an SVG could be compressed with. */
const GZIP = Buffer.from([0x1f, 0x8b]);
const VALUE = /=\s*["']([\s\S]*)["']$/;

export type Drawing = {
  /** The drawing with the size that browsers give it, in pixels. */
  bytes: Buffer;
  need: SvgNeed | null;
};

/** The start tag of the outermost element. */
type Root = { sizes: SizeAttributes; cuts: { start: number; end: number }[]; nameEnd: number };

/**
 * Checks that an SVG fits into memory, before anything draws it, and prepares it for that. How long it takes to
 * draw is up to its style sheets, filters, patterns, masks and markers, which nobody can tell beforehand, so
 * decoders have a limit of processor time for it. Throws a permanent MediaFailure.
 */
export function readSvg(bytes: Buffer): Drawing {
  // Nobody can upload it, and it would have to be unpacked to be counted.
  refuseIf(bytes.subarray(0, GZIP.length).equals(GZIP), 'must not be compressed');
  const file = createRandomAccess(bytes.length, (window, position) =>
    bytes.copy(window, 0, position),
  );
  const root: Root = { sizes: {}, cuts: [], nameEnd: 0 };
  const needs = new Set<SvgNeed | null>();
  let elements = 0;
  let styleStart = -1;
  let hasExtensions = false;
  for (const token of xmlTokens(file)) {
    const text = () => bytes.toString('latin1', token.start, token.end);
    refuseNested(token, text);
    if (token.kind === 'attribute') {
      if (elements === 0) addRootAttribute(root, token, text);
      hasExtensions ||= token.name === 'requiredExtensions';
      needs.add(needOfAttribute(token.name, text));
    } else if (token.kind === 'open') {
      if (elements === 0) root.nameEnd = token.start + 1 + token.name.length;
      elements += 1;
      refuseIf(elements > MAX_ELEMENTS, 'has too many elements');
      needs.add(needOfElement(token.name));
      // Browsers leave out those for a certain program, as Illustrator writes them.
      if (token.name === 'foreignObject' && !hasExtensions) needs.add('undrawable');
      hasExtensions = false;
      styleStart = token.name === 'style' && !token.isEmpty ? token.end : -1;
    } else if (token.kind === 'close') {
      if (token.name === 'style' && styleStart >= 0)
        needs.add(needOfStyleSheet(bytes.toString('latin1', styleStart, token.start)));
      styleStart = -1;
    }
  }
  const need = needs.has('undrawable') ? 'undrawable' : needs.has('adaptive') ? 'adaptive' : null;
  return { bytes: elements === 0 ? bytes : withSize(bytes, root), need };
}

/** Elements of another document, or of an entity, would not be counted. */
function refuseNested({ kind }: XmlToken, text: () => string): void {
  const isNested =
    (kind === 'attribute' && /=\s*["']\s*data:image\/svg/i.test(text())) ||
    (kind === 'doctype' && /["'][\s\S]*</.test(text()));
  refuseIf(isNested, 'contains another SVG');
}

function addRootAttribute(
  root: Root,
  { name, start, end }: { name: string; start: number; end: number },
  text: () => string,
): void {
  if (name !== 'width' && name !== 'height' && name !== 'viewBox') return;
  root.sizes[name] = VALUE.exec(text())?.[1] ?? '';
  if (name !== 'viewBox') root.cuts.push({ start, end });
}

/** Returns a drawing whose root has a width and a height in pixels instead of its own. */
function withSize(bytes: Buffer, { sizes, cuts, nameEnd }: Root): Buffer {
  const { width, height } = svgSize(sizes);
  const parts = [bytes.subarray(0, nameEnd), Buffer.from(` width="${width}" height="${height}"`)];
  let from = nameEnd;
  for (const { start, end } of cuts) {
    parts.push(bytes.subarray(from, start));
    from = end;
  }
  return Buffer.concat([...parts, bytes.subarray(from)]);
}

function refuseIf(isRefused: boolean, what: string): void {
  if (isRefused) throw permanentFailure(`The SVG ${what}.`);
}
