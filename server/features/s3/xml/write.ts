/** An element: its name, and its text or its elements. Those of undefined are left out. */
export type XmlNode = readonly [name: string, content: XmlContent];
export type XmlContent = string | number | boolean | undefined | readonly XmlNode[];

const NAMESPACE = 'http://s3.amazonaws.com/doc/2006-03-01/';

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Characters that XML 1.0 can't contain, or that a parser would read as another one. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is escaped
const UNSAFE = /[&<>"\u0000-\u001f\u007f\ufffe\uffff]/g;

const escapeText = (text: string): string =>
  text.replace(UNSAFE, (sign) => ESCAPES[sign] ?? `&#x${sign.charCodeAt(0).toString(16)};`);

function write([name, content]: XmlNode): string {
  if (content === undefined) return '';
  const inner =
    typeof content === 'object' ? content.map(write).join('') : escapeText(String(content));
  // A name may have attributes behind it.
  const [tag] = name.split(' ');
  return `<${name}>${inner}</${tag}>`;
}

const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';

/** Returns a document as S3 answers with it. */
export function writeXml(name: string, content: readonly XmlNode[]): string {
  return `${DECLARATION}<${name} xmlns="${NAMESPACE}">${content.map(write).join('')}</${name}>`;
}

/** Returns the document of an error, which has no namespace. */
export const writeErrorXml = (content: readonly XmlNode[]): string =>
  `${DECLARATION}${write(['Error', content])}`;
