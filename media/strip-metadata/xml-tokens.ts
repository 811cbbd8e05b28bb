import { damaged, type RandomAccess, within } from './pieces.ts';

/** A piece of markup, from `start` up to but not including `end`. Text between tokens is skipped. */
export type XmlToken = { start: number; end: number } & (
  | { kind: 'comment' | 'cdata' | 'doctype' }
  | { kind: 'instruction'; name: string }
  | { kind: 'close'; name: string }
  | { kind: 'open'; name: string; isEmpty: boolean; attributes: XmlAttribute[] }
);

/** `start` includes the white space before the attribute, so that cutting the range leaves a valid tag. */
export type XmlAttribute = { name: string; start: number; end: number };

const SPACE = /\s/;
const NAME_MAX = 1024;

/**
 * Yields the markup of an XML document in an encoding that contains ASCII (UTF-8, Latin-1). It resolves no
 * entities and opens nothing. Throws a permanent MediaFailure where the markup is not closed.
 */
export function* xmlTokens(file: RandomAccess): Iterable<XmlToken> {
  for (let start = find(file, '<', 0); start < file.size; ) {
    const token = tokenAt(file, start);
    yield token;
    start = find(file, '<', token.end);
  }
}

function tokenAt(file: RandomAccess, start: number): XmlToken {
  const head = text(file, start, 9);
  if (head.startsWith('<!--'))
    return { kind: 'comment', start, end: after(file, '-->', start + 4) };
  if (head === '<![CDATA[') return { kind: 'cdata', start, end: after(file, ']]>', start + 9) };
  if (head.startsWith('<!')) return { kind: 'doctype', start, end: endOfDoctype(file, start + 2) };
  if (head.startsWith('<?')) {
    const name = nameAt(file, start + 2);
    return { kind: 'instruction', name, start, end: after(file, '?>', start + 2) };
  }
  if (head.startsWith('</')) {
    const name = nameAt(file, start + 2);
    return { kind: 'close', name, start, end: after(file, '>', start + 2) };
  }
  return openTag(file, start);
}

function openTag(file: RandomAccess, start: number): XmlToken {
  const name = nameAt(file, start + 1);
  if (name === '') throw damaged();
  const attributes: XmlAttribute[] = [];
  let position = start + 1 + name.length;
  while (true) {
    const from = position;
    position = skipSpace(file, position);
    const next = text(file, position, 2);
    if (next.startsWith('>')) {
      return { kind: 'open', name, isEmpty: false, attributes, start, end: position + 1 };
    }
    if (next === '/>') {
      return { kind: 'open', name, isEmpty: true, attributes, start, end: position + 2 };
    }
    const attribute = nameAt(file, position);
    position = skipSpace(file, position + attribute.length);
    if (attribute === '' || text(file, position, 1) !== '=') throw damaged();
    position = skipSpace(file, position + 1);
    const quote = text(file, position, 1);
    if (quote !== '"' && quote !== "'") throw damaged();
    position = after(file, quote, position + 1);
    attributes.push({ name: attribute, start: from, end: position });
  }
}

/** A document type can contain declarations in brackets, with quoted texts and comments of their own. */
function endOfDoctype(file: RandomAccess, from: number): number {
  let depth = 1;
  for (let position = from; ; ) {
    const [letter = ''] = text(file, position, 1);
    if (letter === '') throw damaged();
    if (text(file, position, 4) === '<!--') position = after(file, '-->', position + 4);
    else if (letter === '"' || letter === "'") position = after(file, letter, position + 1);
    else {
      if (letter === '<') depth += 1;
      if (letter === '>') depth -= 1;
      position += 1;
      if (depth === 0) return position;
    }
  }
}

/** Decodes as Latin-1, where each byte is one letter, so that lengths are positions. */
function text(file: RandomAccess, start: number, length: number): string {
  return Buffer.from(file.read(start, length)).toString('latin1');
}

function nameAt(file: RandomAccess, start: number): string {
  return /^[^\s=/>"'<?]*/.exec(text(file, start, NAME_MAX))?.[0] ?? '';
}

function skipSpace(file: RandomAccess, from: number): number {
  let position = from;
  while (SPACE.test(text(file, position, 1))) position += 1;
  return position;
}

/** Returns the position after the next `what`. Throws where there is none. */
function after(file: RandomAccess, what: string, from: number): number {
  return within(file, find(file, what, from) + what.length);
}

/** Returns the position of the next `what`, or the file's size where there is none. */
function find(file: RandomAccess, what: string, from: number): number {
  for (let position = from, length = 256; position < file.size; ) {
    const bytes = Buffer.from(file.read(position, length));
    const offset = bytes.indexOf(what, 0, 'latin1');
    if (offset >= 0) return position + offset;
    if (position + bytes.length >= file.size) break;
    position += bytes.length - what.length + 1;
    length = Math.min(length * 4, 65_536);
  }
  return file.size;
}
