import { setImmediate } from 'node:timers/promises';
import { S3Error } from '../errors.ts';

/** An element without its attributes and the prefix of its name. */
export type XmlElement = {
  name: string;
  /** The text between its tags, without that of the elements in it. */
  text: string;
  children: XmlElement[];
};

const MAX_DEPTH = 8;
/** The largest document of S3 has 10,000 parts of four elements. An element takes some hundred bytes of memory. */
const MAX_ELEMENTS = 100_000;
/** So many tags and pieces of text take about a millisecond, after which other requests have their turn. */
const STEPS_PER_TURN = 2000;

const ENTITIES: Record<string, string> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  apos: "'",
};

/**
 * A start or an end tag. Nothing in it is repeated in two ways, so a match takes time by its length. No document of S3 has
 * more attributes than those that declare name spaces.
 */
const TAG =
  /<(\/?)(?:[\w.-]+:)?([\w.-]+)((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*')){0,16})\s*(\/?)>/y;
/** Only this piece is searched, as a search to the end of the document for each piece would take too long. */
const TEXT = /[^<&]+/y;
const REFERENCE = /&(?:#x([0-9a-fA-F]{1,6})|#(\d{1,7})|(\w{1,8}));/y;

const malformed = (what: string) => new S3Error('MalformedXML', `The XML is not valid: ${what}.`);

/**
 * Parses the XML of a request in one pass: elements, text, character references and the five entities that every
 * document has. Throws MalformedXML for anything else, such as a document type, since what is only guessed could name
 * another key.
 */
export function parseXml(text: string): XmlElement {
  const parser = new Parser(text);
  parser.run(Number.POSITIVE_INFINITY);
  return parser.root();
}

/** Does the same without keeping other requests from their turn. */
export async function parseLongXml(text: string): Promise<XmlElement> {
  const parser = new Parser(text);
  while (!parser.run(STEPS_PER_TURN)) await setImmediate();
  return parser.root();
}

class Parser {
  private at = 0;
  private readonly open: XmlElement[] = [];
  private first: XmlElement | undefined;
  private elements = 0;

  constructor(private readonly text: string) {
    if (text.charCodeAt(0) === 0xfeff) this.at = 1;
    if (text.startsWith('<?xml', this.at)) this.skipPast('?>', 'its declaration has no end');
  }

  /** Reads so many tags and pieces of text. Returns whether these were the last ones. */
  run(steps: number): boolean {
    for (let step = 0; step < steps && this.at < this.text.length; step += 1) this.readNext();
    return this.at >= this.text.length;
  }

  /** Returns the element of a document that is read to its end. */
  root(): XmlElement {
    if (!this.first) throw malformed('it has no element');
    const unclosed = this.open.at(-1);
    if (unclosed) throw malformed(`${unclosed.name} has no end`);
    return this.first;
  }

  private readNext(): void {
    const next = this.text[this.at];
    if (next === '&') this.addText(this.readReference());
    else if (next !== '<') this.readText();
    else if (this.text.startsWith('<!--', this.at)) this.skipPast('-->', 'a comment has no end');
    else if (this.text.startsWith('<![CDATA[', this.at)) this.readCdata();
    else this.readTag();
  }

  private skipPast(end: string, what: string): void {
    const found = this.text.indexOf(end, this.at);
    if (found < 0) throw malformed(what);
    this.at = found + end.length;
  }

  private readCdata(): void {
    const start = this.at + '<![CDATA['.length;
    this.skipPast(']]>', 'a CDATA section has no end');
    this.addText(this.text.slice(start, this.at - ']]>'.length));
  }

  private readText(): void {
    TEXT.lastIndex = this.at;
    const [piece = ''] = TEXT.exec(this.text) ?? [];
    this.at = TEXT.lastIndex;
    this.addText(piece);
  }

  private readReference(): string {
    REFERENCE.lastIndex = this.at;
    const [whole, hex, decimal, name] = REFERENCE.exec(this.text) ?? [];
    if (whole === undefined) throw malformed('& does not begin a reference');
    this.at = REFERENCE.lastIndex;
    if (name !== undefined) {
      const character = Object.hasOwn(ENTITIES, name) ? ENTITIES[name] : undefined;
      if (character === undefined) throw malformed(`&${name}; is not known`);
      return character;
    }
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
    if (!isCharacter) throw malformed(`${whole} is no character`);
    return String.fromCodePoint(code);
  }

  private addText(text: string): void {
    const parent = this.open.at(-1);
    if (parent) parent.text += text;
    else if (text.trim() !== '') throw malformed('there is text outside of its element');
  }

  private readTag(): void {
    TAG.lastIndex = this.at;
    const [whole, isEnd, name = '', attributes, isEmpty] = TAG.exec(this.text) ?? [];
    if (whole === undefined) throw malformed('a tag is not understood');
    this.at = TAG.lastIndex;
    if (isEnd) {
      const element = this.open.pop();
      if (element?.name !== name || attributes || isEmpty) {
        throw malformed(`</${name}> closes nothing`);
      }
      return;
    }
    this.elements += 1;
    if (this.elements > MAX_ELEMENTS) throw malformed('it has too many elements');
    const element: XmlElement = { name, text: '', children: [] };
    const parent = this.open.at(-1);
    if (parent) parent.children.push(element);
    else if (this.first) throw malformed('it has two elements');
    else this.first = element;
    if (isEmpty) return;
    if (this.open.length === MAX_DEPTH) throw malformed('it is nested too deeply');
    this.open.push(element);
  }
}

/** Returns the elements of a name in another one. */
export const childrenOf = ({ children }: XmlElement, name: string): XmlElement[] =>
  children.filter((child) => child.name === name);

/** Returns the only element of a name in another one; undefined without one. Throws MalformedXML. */
export function onlyElement(element: XmlElement, name: string): XmlElement | undefined {
  const [first, second] = childrenOf(element, name);
  if (second) throw malformed(`${name} is there twice`);
  return first;
}

/** Returns the text of an element without elements. Throws MalformedXML, as what is between two texts may be meant. */
export function leafText({ name, text, children }: XmlElement): string {
  if (children.length > 0) throw malformed(`${name} can have no elements`);
  return text;
}

/** Returns the text of the only element of a name in another one; undefined without one. Throws MalformedXML. */
export function textOf(element: XmlElement, name: string): string | undefined {
  const only = onlyElement(element, name);
  return only && leafText(only);
}

/**
 * Returns the texts of the elements of some names in another one, each of which is there once at most, in one pass. Throws
 * MalformedXML.
 */
export function textsOf(
  { children }: XmlElement,
  names: ReadonlySet<string>,
): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const child of children) {
    if (!names.has(child.name)) continue;
    if (texts.has(child.name)) throw malformed(`${child.name} is there twice`);
    texts.set(child.name, leafText(child));
  }
  return texts;
}
