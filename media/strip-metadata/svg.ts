import { permanentFailure } from '../media-failure.ts';
import { damaged, exactly, type Piece, type RandomAccess } from './pieces.ts';
import { type XmlToken, xmlTokens } from './xml-tokens.ts';

/** Drawing programs store the author's file paths and window layout under these prefixes. */
const EDITORS = new Set(['inkscape', 'sodipodi']);
const INSTRUCTIONS = new Set(['xml', 'xml-stylesheet']);

const prefixOf = (name: string) => (name.includes(':') ? name.slice(0, name.indexOf(':')) : '');
const localOf = (name: string) => name.slice(name.indexOf(':') + 1);
const isMetadata = (name: string) => localOf(name) === 'metadata' || EDITORS.has(prefixOf(name));

/**
 * Plans an SVG. It drops comments, `<metadata>`, the attributes of editors and processing instructions.
 * Scripts stay: a sanitiser would have to know every browser, while delivery sandboxes each response
 * anyway. Only encodings that contain ASCII are accepted, so that nothing can hide in another encoding.
 */
export function* planSvg(file: RandomAccess): Iterable<Piece> {
  const head = exactly(file, 0, 2);
  if (head.includes(0) || head.readUInt16BE(0) >= 0xfe00) {
    throw permanentFailure('SVG files must be encoded as UTF-8.');
  }
  let keptFrom = 0;
  for (const { start, end } of cuts(file)) {
    if (start > keptFrom) yield { start: keptFrom, end: start };
    keptFrom = end;
  }
  yield { start: keptFrom, end: file.size };
}

function* cuts(file: RandomAccess): Iterable<{ start: number; end: number }> {
  let cutting: { name: string; depth: number; start: number } | null = null;
  for (const token of xmlTokens(file)) {
    if (cutting) {
      cutting.depth += nesting(token, cutting.name);
      if (cutting.depth === 0) {
        yield { start: cutting.start, end: token.end };
        cutting = null;
      }
    } else if (token.kind === 'open' && isMetadata(token.name)) {
      if (token.isEmpty) yield token;
      else cutting = { name: token.name, depth: 1, start: token.start };
    } else if (token.kind === 'open') {
      yield* token.attributes.filter(({ name }) => EDITORS.has(prefixOf(name)));
    } else if (isDropped(token)) {
      yield token;
    }
  }
  if (cutting) throw damaged();
}

function nesting(token: XmlToken, name: string): number {
  if (token.kind === 'close') return token.name === name ? -1 : 0;
  return token.kind === 'open' && token.name === name && !token.isEmpty ? 1 : 0;
}

function isDropped(token: XmlToken): boolean {
  if (token.kind === 'instruction') return !INSTRUCTIONS.has(token.name);
  return token.kind === 'comment';
}
