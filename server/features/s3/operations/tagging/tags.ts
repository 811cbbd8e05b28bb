import { S3Error } from '../../errors.ts';
import { childrenOf, onlyElement, parseXml, textOf, type XmlElement } from '../../xml/parse.ts';
import { requireElements, requireRoot } from '../../xml/strict.ts';
import type { XmlNode } from '../../xml/write.ts';

/** As in S3. */
export const MAX_OBJECT_TAGS = 10;
export const MAX_BUCKET_TAGS = 50;
const MAX_KEY_LENGTH = 128;
const MAX_VALUE_LENGTH = 256;
/** Letters, numbers, spaces and these signs, in every language. */
const TEXT = /^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$/u;

type Tag = readonly [key: string, value: string];

const invalidTag = (message: string) => new S3Error('InvalidTag', message);

/** Returns the tags of a header `x-amz-tagging` as they are stored; null for none. Throws InvalidTag. */
export function parseTagHeader(header: string | null): string | null {
  if (header === null || header === '') return null;
  const tags = header.split('&').map((pair): Tag => {
    const [key = '', ...value] = pair.split('=');
    return [decode(key), decode(value.join('='))];
  });
  return toStored(tags, MAX_OBJECT_TAGS);
}

/** Returns the header that says the same as a document. Throws MalformedXML, InvalidTag. */
export const toTagHeader = (body: string): string =>
  new URLSearchParams(tagsOf(parseTagging(parseXml(body), MAX_OBJECT_TAGS))).toString();

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw invalidTag('x-amz-tagging must be percent-encoded UTF-8, like name=value&other=value.');
  }
}

/** Returns the tags of a document as they are stored; null for none. Throws MalformedXML, InvalidTag. */
export function parseTagging(root: XmlElement, maximum: number): string | null {
  requireRoot(root, 'Tagging');
  requireElements(root, ['TagSet']);
  const set = onlyElement(root, 'TagSet');
  if (!set) throw new S3Error('MalformedXML', 'Send a TagSet.');
  requireElements(set, ['Tag']);
  const tags = childrenOf(set, 'Tag').map((tag): Tag => {
    requireElements(tag, ['Key', 'Value']);
    const [key, value] = [textOf(tag, 'Key'), textOf(tag, 'Value')];
    if (key !== undefined && value !== undefined) return [key, value];
    throw new S3Error('MalformedXML', 'A Tag needs a Key and a Value.');
  });
  return toStored(tags, maximum);
}

function toStored(tags: Tag[], maximum: number): string | null {
  if (tags.length > maximum) throw invalidTag(`There can be at most ${maximum} tags.`);
  for (const [key, value] of tags) requireTag(key, value);
  const byKey = new Map(tags);
  if (byKey.size < tags.length) throw invalidTag('Two tags have the same key.');
  return tags.length === 0 ? null : JSON.stringify(Object.fromEntries(byKey));
}

function requireTag(key: string, value: string): void {
  if (key === '' || key.length > MAX_KEY_LENGTH) {
    throw invalidTag(`The key of a tag has 1 to ${MAX_KEY_LENGTH} characters.`);
  }
  if (value.length > MAX_VALUE_LENGTH) {
    throw invalidTag(`The value of a tag has at most ${MAX_VALUE_LENGTH} characters.`);
  }
  if (!TEXT.test(key) || !TEXT.test(value)) {
    throw invalidTag('A tag can have letters, numbers, spaces, and the signs + - = . _ : / @.');
  }
  if (key.startsWith('aws:')) throw invalidTag('The key of a tag can not begin with "aws:".');
}

/** Returns tags as they are stored as a document, in the order of their keys. */
export const taggingNodes = (json: string | null): XmlNode[] => [
  [
    'TagSet',
    tagsOf(json).map(
      ([key, value]): XmlNode => [
        'Tag',
        [
          ['Key', key],
          ['Value', value],
        ],
      ],
    ),
  ],
];

/** Returns the header that tells how many tags an object has; none where it has none. */
export function tagCountHeaders(json: string | null): Record<string, string> {
  return json === null ? {} : { 'x-amz-tagging-count': String(tagsOf(json).length) };
}

const tagsOf = (json: string | null): [string, string][] =>
  json === null
    ? []
    : Object.entries(JSON.parse(json) as Record<string, string>).sort(([a], [b]) =>
        a < b ? -1 : 1,
      );
