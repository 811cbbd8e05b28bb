import { S3Error } from '../errors.ts';

/** An element without its attributes and the prefix of its name. */
export type XmlElement = {
  name: string;
  /** The text between its tags, without that of the elements in it. */
  text: string;
  children: XmlElement[];
};

const MAX_DEPTH = 8;

const ENTITIES: Record<string, string> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  apos: "'",
};

/** A start or an end tag. Nothing in it is repeated in two ways, so a match takes time by its length. */
const TAG = /<(\/?)(?:[\w.-]+:)?([\w.-]+)((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>/y;
const REFERENCE = /&(?:#x([0-9a-fA-F]{1,6})|#(\d{1,7})|(\w{1,8}));/y;

const malformed = (what: string) => new S3Error('MalformedXML', `The XML is not valid: ${what}.`);

/**
 * Parses the XML of a request in one pass: elements, text, character references and the five entities that every
 * document has. Throws MalformedXML for anything else, such as a document type, since what is only guessed could name
 * another key.
 */
export function parseXml(text: string): XmlElement {
  const parser = new Parser(text);
  return parser.parse();
}

class Parser {
  private at = 0;
  private readonly open: XmlElement[] = [];
  private root: XmlElement | undefined;

  constructor(private readonly text: string) {
    if (text.charCodeAt(0) === 0xfeff) this.at = 1;
  }

  parse(): XmlElement {
    if (this.text.startsWith('<?xml', this.at)) this.skipPast('?>', 'its declaration has no end');
    while (this.at < this.text.length) {
      if (this.text[this.at] !== '<') this.readText();
      else if (this.text.startsWith('<!--', this.at)) this.skipPast('-->', 'a comment has no end');
      else if (this.text.startsWith('<![CDATA[', this.at)) this.readCdata();
      else this.readTag();
    }
    if (!this.root) throw malformed('it has no element');
    const unclosed = this.open.at(-1);
    if (unclosed) throw malformed(`${unclosed.name} has no end`);
    return this.root;
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
    const next = this.text.indexOf('<', this.at);
    const end = next < 0 ? this.text.length : next;
    // Only this piece is searched, as a search to the end of the document for each piece would take too long.
    const raw = this.text.slice(this.at, end);
    const start = this.at;
    let piece = '';
    for (let at = 0; at < raw.length; at = this.at - start) {
      const reference = raw.indexOf('&', at);
      const until = reference < 0 ? raw.length : reference;
      piece += raw.slice(at, until);
      this.at = start + until;
      if (reference >= 0) piece += this.readReference();
    }
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
    const element: XmlElement = { name, text: '', children: [] };
    const parent = this.open.at(-1);
    if (parent) parent.children.push(element);
    else if (this.root) throw malformed('it has two elements');
    else this.root = element;
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
