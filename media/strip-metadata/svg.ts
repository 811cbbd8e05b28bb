import { permanentFailure } from '../media-failure.ts';
import type { Piece } from './piece-writer.ts';
import { damaged, exactly, type RandomAccess } from './random-access.ts';
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
export function* planSvg(file: RandomAccess): Iterable<Piece | null> {
  const head = exactly(file, 0, 2);
  if (head.includes(0) || head.readUInt16BE(0) >= 0xfe00) {
    throw permanentFailure('SVG files must be encoded as UTF-8.');
  }
  let keptFrom = 0;
  for (const cut of cuts(file)) {
    yield cut && cut.start > keptFrom ? { start: keptFrom, end: cut.start } : null;
    if (cut) keptFrom = cut.end;
  }
  yield { start: keptFrom, end: file.size };
}

/** Yields for each token the range to cut that ends with it, or null. */
function* cuts(file: RandomAccess): Iterable<{ start: number; end: number } | null> {
  let cutting: { name: string; depth: number; start: number } | null = null;
  for (const token of xmlTokens(file)) {
    if (cutting) {
      cutting.depth += nesting(token, cutting.name);
      const isEnd: boolean = cutting.depth === 0;
      yield isEnd ? { start: cutting.start, end: token.end } : null;
      if (isEnd) cutting = null;
    } else if (token.kind === 'open' && isMetadata(token.name) && !token.isEmpty) {
      yield null;
      cutting = { name: token.name, depth: 1, start: token.start };
    } else {
      yield isDropped(token) ? token : null;
    }
  }
  if (cutting) throw damaged();
}

function nesting(token: XmlToken, name: string): number {
  if (token.kind === 'close') return token.name === name ? -1 : 0;
  return token.kind === 'open' && token.name === name && !token.isEmpty ? 1 : 0;
}

function isDropped(token: XmlToken): boolean {
  switch (token.kind) {
    case 'open':
      return isMetadata(token.name);
    case 'attribute':
      return EDITORS.has(prefixOf(token.name)) && !isMetadata(token.tag);
    case 'instruction':
      return !INSTRUCTIONS.has(token.name);
    default:
      return token.kind === 'comment';
  }
}
