import { S3Error } from '../errors.ts';
import type { XmlElement } from './parse.ts';

const malformed = (message: string) => new S3Error('MalformedXML', message);

/**
 * Throws where an element has text, or another element than those of some names, so that nothing of a configuration is
 * passed over.
 * @param refused why the elements of some names can't be obeyed
 */
export function requireElements(
  element: XmlElement,
  names: readonly string[],
  refused: Readonly<Record<string, string>> = {},
): void {
  if (element.text.trim() !== '') throw malformed(`${element.name} can have no text.`);
  for (const { name } of element.children) {
    if (names.includes(name)) continue;
    const reason = Object.hasOwn(refused, name) ? refused[name] : undefined;
    if (reason !== undefined) throw new S3Error('NotImplemented', reason);
    throw malformed(`${element.name} can't have the element ${name}.`);
  }
}

/** Throws MalformedXML where the root of a document has another name. */
export function requireRoot(root: XmlElement, name: string): void {
  if (root.name !== name) throw malformed(`The root element must be ${name}.`);
}
