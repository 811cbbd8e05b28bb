import { damaged, type RandomAccess, WINDOW_BYTES, within } from './random-access.ts';

/** A piece of markup, from `start` up to but not including `end`. Text between tokens is skipped. */
export type XmlToken = { start: number; end: number } & (
  | { kind: 'comment' | 'cdata' }
  /** A part of a document type, which has one for each declaration and each quoted text in it. */
  | { kind: 'doctype' }
  | { kind: 'instruction'; name: string }
  | { kind: 'close'; name: string }
  /**
   * An attribute precedes the token of its tag, which contains it. `start` includes the white space before
   * the attribute, so that cutting the range leaves a valid tag.
   */
  | { kind: 'attribute'; name: string; tag: string }
  | { kind: 'open'; name: string; isEmpty: boolean }
);

const NAME_MAX = 1024;
const NAME = /^[^ \t\r\n=/>"'<?]*/;
const NO_SPACE = /[^ \t\r\n]/;
const DELIMITER = /[<>"']/;

/**
 * Yields the markup of an XML document in an encoding that contains ASCII (UTF-8, Latin-1). It resolves no
 * entities and opens nothing. Throws a permanent MediaFailure where the markup is not closed.
 */
export function* xmlTokens(file: RandomAccess): Iterable<XmlToken> {
  let start = find(file, '<', 0);
  while (start < file.size) {
    let end = start;
    for (const token of tokensAt(file, start)) {
      yield token;
      end = token.end;
    }
    start = find(file, '<', end);
  }
}

function tokensAt(file: RandomAccess, start: number): Iterable<XmlToken> {
  const head = text(file, start, 9);
  if (head.startsWith('<!--'))
    return [{ kind: 'comment', start, end: after(file, '-->', start + 4) }];
  if (head === '<![CDATA[') return [{ kind: 'cdata', start, end: after(file, ']]>', start + 9) }];
  if (head.startsWith('<!')) return doctypeTokens(file, start);
  if (head.startsWith('<?')) {
    const name = nameAt(file, start + 2);
    return [{ kind: 'instruction', name, start, end: after(file, '?>', start + 2) }];
  }
  if (head.startsWith('</')) {
    const name = nameAt(file, start + 2);
    return [{ kind: 'close', name, start, end: after(file, '>', start + 2) }];
  }
  return tagTokens(file, start);
}

function* tagTokens(file: RandomAccess, start: number): Iterable<XmlToken> {
  const tag = nameAt(file, start + 1);
  if (tag === '') throw damaged();
  let position = start + 1 + tag.length;
  while (true) {
    const from = position;
    position = search(file, NO_SPACE, position);
    const next = text(file, position, 2);
    const isEmpty = next === '/>';
    if (isEmpty || next.startsWith('>')) {
      yield { kind: 'open', name: tag, isEmpty, start, end: position + (isEmpty ? 2 : 1) };
      return;
    }
    const name = nameAt(file, position);
    position = search(file, NO_SPACE, position + name.length);
    if (name === '' || text(file, position, 1) !== '=') throw damaged();
    position = search(file, NO_SPACE, position + 1);
    const quote = text(file, position, 1);
    if (quote !== '"' && quote !== "'") throw damaged();
    position = after(file, quote, position + 1);
    yield { kind: 'attribute', name, tag, start: from, end: position };
  }
}

/** A document type can contain declarations in brackets, with quoted texts and comments of their own. */
function* doctypeTokens(file: RandomAccess, from: number): Iterable<XmlToken> {
  let depth = 1;
  for (let start = from + 2; depth > 0; ) {
    const delimiter = search(file, DELIMITER, start);
    const head = text(file, delimiter, 4);
    const [letter = ''] = head;
    let end = delimiter + 1;
    if (letter === '') throw damaged();
    if (head === '<!--') end = after(file, '-->', delimiter + 4);
    else if (letter === '<') depth += 1;
    else if (letter === '>') depth -= 1;
    else end = after(file, letter, end);
    yield { kind: 'doctype', start, end };
    start = end;
  }
}

/** Decodes as Latin-1, where each byte is one letter, so that lengths are positions. */
function text(file: RandomAccess, start: number, length: number): string {
  return file.peek(start, length).toString('latin1', 0, length);
}

function nameAt(file: RandomAccess, start: number): string {
  return NAME.exec(text(file, start, NAME_MAX))?.[0] ?? '';
}

/** Returns the position of the next letter that matches, or the file's size where there is none. */
function search(file: RandomAccess, letter: RegExp, from: number): number {
  for (let position = from, length = 64; position < file.size; ) {
    const letters = text(file, position, length);
    const offset = letters.search(letter);
    if (offset >= 0) return position + offset;
    position += letters.length;
    length = Math.min(length * 8, WINDOW_BYTES);
  }
  return file.size;
}

/** Returns the position after the next `what`. Throws where there is none. */
function after(file: RandomAccess, what: string, from: number): number {
  return within(file, find(file, what, from) + what.length);
}

/** Returns the position of the next `what`, or the file's size where there is none. */
function find(file: RandomAccess, what: string, from: number): number {
  for (let position = from; position < file.size; ) {
    const bytes = file.peek(position, what.length);
    const offset = bytes.indexOf(what, 0, 'latin1');
    if (offset >= 0) return position + offset;
    if (bytes.length < what.length) break;
    position += bytes.length - what.length + 1;
  }
  return file.size;
}
