import { permanentFailure } from '../media-failure.ts';
import { createRandomAccess } from '../strip-metadata/random-access.ts';
import { type XmlToken, xmlTokens } from '../strip-metadata/xml-tokens.ts';
import { needOfAttribute, needOfElement, needOfStyleSheet, type SvgNeed } from './svg-css.ts';
import { type SizeAttributes, svgSize } from './svg-size.ts';
import { hasLengths, withPixels } from './svg-units.ts';

/** librsvg takes half a kilobyte for each. */
const MAX_ELEMENTS = 200_000;
/** What an SVG could be compressed with. */
const GZIP = Buffer.from([0x1f, 0x8b]);
const VALUE = /=\s*["']([\s\S]*)["']$/;

export type Drawing = {
  /** The drawing with the size that browsers give it, and with its lengths, in pixels. */
  bytes: Buffer;
  need: SvgNeed | null;
};

/** The start tag of the outermost element. */
type Root = { sizes: SizeAttributes; nameEnd: number };

/** Another text for some bytes. */
type Edit = { start: number; end: number; text: string };

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
  const root: Root = { sizes: {}, nameEnd: 0 };
  const edits: Edit[] = [];
  const needs = new Set<SvgNeed | null>();
  let elements = 0;
  let styleStart = -1;
  let hasExtensions = false;
  for (const token of xmlTokens(file)) {
    const text = () => bytes.toString('latin1', token.start, token.end);
    refuseNested(token, text);
    if (token.kind === 'attribute') {
      if (elements === 0 && isSizeAttribute(token.name)) {
        root.sizes[token.name] = VALUE.exec(text())?.[1] ?? '';
        if (token.name !== 'viewBox') edits.push({ ...token, text: '' });
      } else if (hasLengths(token.name)) convertLengths(edits, token, text());
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
      if (token.name === 'style' && styleStart >= 0) {
        const sheet = { start: styleStart, end: token.start };
        const css = bytes.toString('latin1', sheet.start, sheet.end);
        needs.add(needOfStyleSheet(css));
        convertLengths(edits, sheet, css);
      }
      styleStart = -1;
    }
  }
  const need = needs.has('undrawable') ? 'undrawable' : needs.has('adaptive') ? 'adaptive' : null;
  return { bytes: elements === 0 ? bytes : edited(bytes, root, edits), need };
}

/** Elements of another document, or of an entity, would not be counted. */
function refuseNested({ kind }: XmlToken, text: () => string): void {
  const isNested =
    (kind === 'attribute' && /=\s*["']\s*data:image\/svg/i.test(text())) ||
    (kind === 'doctype' && /["'][\s\S]*</.test(text()));
  refuseIf(isNested, 'contains another SVG');
}

const isSizeAttribute = (name: string): name is keyof SizeAttributes =>
  name === 'width' || name === 'height' || name === 'viewBox';

function convertLengths(edits: Edit[], { start, end }: Omit<Edit, 'text'>, text: string): void {
  const converted = withPixels(text);
  if (converted !== text) edits.push({ start, end, text: converted });
}

/** Returns a drawing with edits in their order, whose root has a width and a height in pixels. */
function edited(bytes: Buffer, { sizes, nameEnd }: Root, edits: Edit[]): Buffer {
  const { width, height } = svgSize(sizes);
  const parts = [bytes.subarray(0, nameEnd), Buffer.from(` width="${width}" height="${height}"`)];
  let from = nameEnd;
  for (const { start, end, text } of edits) {
    parts.push(bytes.subarray(from, start), Buffer.from(text, 'latin1'));
    from = end;
  }
  return Buffer.concat([...parts, bytes.subarray(from)]);
}

function refuseIf(isRefused: boolean, what: string): void {
  if (isRefused) throw permanentFailure(`The SVG ${what}.`);
}
