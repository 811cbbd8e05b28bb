import { type ObjectEntry, type ObjectRow, raisedPrefix } from '../../files/service.ts';
import type { ListContext } from '../context.ts';
import { xmlResponse } from '../context.ts';
import { S3Error } from '../errors.ts';
import type { S3Response } from '../request.ts';
import { writeXml, type XmlNode } from '../xml/write.ts';
import { ownerNode } from './list-buckets.ts';
import { viewObject } from './object-view.ts';
import { keyEncoding, parseCount } from './parameters.ts';

const MAX_KEYS = 1000;

type Page = { entries: ObjectEntry[]; isTruncated: boolean; maxKeys: number };

/** Answers both versions of the list. */
export async function listObjects(context: ListContext): Promise<S3Response> {
  const type = context.query.get('list-type');
  if (type === '2') return listSecondVersion(context);
  if (type === undefined) return listFirstVersion(context);
  throw new S3Error('InvalidArgument', 'list-type must be 2.', { ArgumentName: 'list-type' });
}

async function listSecondVersion(context: ListContext): Promise<S3Response> {
  const { query, bucket, caller } = context;
  const token = query.get('continuation-token');
  const startAfter = query.get('start-after');
  const after = token === undefined ? (startAfter ?? '') : parseToken(token);
  const page = await findPage(context, after);
  const last = page.isTruncated ? page.entries.at(-1)?.path : undefined;
  const { encode } = keyEncoding(query);
  const hasOwner = query.get('fetch-owner') === 'true' && caller.kind === 'key';
  return xmlResponse(
    writeXml('ListBucketResult', [
      ...commonNodes(context, page),
      ['KeyCount', page.entries.length],
      ['ContinuationToken', token],
      ['NextContinuationToken', last === undefined ? undefined : toToken(last)],
      ['StartAfter', startAfter === undefined ? undefined : encode(startAfter)],
      ...entryNodes(page, encode, hasOwner ? bucket.user_id : null),
    ]),
  );
}

async function listFirstVersion(context: ListContext): Promise<S3Response> {
  const { query, bucket, caller } = context;
  const marker = query.get('marker') ?? '';
  const page = await findPage(context, marker);
  const { encode } = keyEncoding(query);
  const last = page.isTruncated && query.get('delimiter') ? page.entries.at(-1)?.path : undefined;
  return xmlResponse(
    writeXml('ListBucketResult', [
      ...commonNodes(context, page),
      ['Marker', encode(marker)],
      ['NextMarker', last === undefined ? undefined : encode(last)],
      // People without a key of the account don't learn whose bucket it is.
      ...entryNodes(page, encode, caller.kind === 'key' ? bucket.user_id : null),
    ]),
  );
}

/** Returns the objects and common prefixes behind a key which a list asks for. Throws InvalidArgument. */
async function findPage({ deps, bucket, query }: ListContext, after: string): Promise<Page> {
  const { maxKeys, ...range } = listRange(query, after);
  if (maxKeys === 0) return { entries: [], isTruncated: false, maxKeys };
  const entries = await deps.files.objectEntries(bucket.id, range);
  return { entries: entries.slice(0, maxKeys), isTruncated: entries.length > maxKeys, maxKeys };
}

/** Returns the range that a list asks for, of one entry more than it answers. Throws InvalidArgument. */
export function listRange(query: ReadonlyMap<string, string>, after: string) {
  const maxKeys = parseCount(query, 'max-keys', MAX_KEYS);
  keyEncoding(query);
  const range = {
    prefix: query.get('prefix') ?? '',
    delimiter: query.get('delimiter') ?? '',
    after,
    limit: maxKeys + 1,
  };
  if (range.delimiter !== '' && raisedPrefix(range.delimiter) === null) {
    throw new S3Error('InvalidArgument', 'No key can be divided by this delimiter.');
  }
  return { ...range, maxKeys };
}

/** Returns what all lists of objects begin with. */
export function commonNodes(
  { query, bucketName }: ListContext,
  page: Pick<Page, 'isTruncated' | 'maxKeys'>,
): XmlNode[] {
  const { encode, type } = keyEncoding(query);
  const delimiter = query.get('delimiter');
  return [
    ['Name', bucketName],
    ['Prefix', encode(query.get('prefix') ?? '')],
    ['Delimiter', delimiter ? encode(delimiter) : undefined],
    ['MaxKeys', page.maxKeys],
    ['EncodingType', type],
    ['IsTruncated', page.isTruncated],
  ];
}

/**
 * Returns the entries of a list.
 * @param ownerId null where the owner isn't asked for
 */
function entryNodes(
  { entries }: Page,
  encode: (key: string) => string,
  ownerId: string | null,
): XmlNode[] {
  const owner = ownerId === null ? [] : [ownerNode(ownerId)];
  const contents = entries.flatMap((entry): XmlNode[] =>
    !entry.isPrefix && entry.object
      ? [['Contents', [['Key', encode(entry.path)], ...objectNodes(entry.object), ...owner]]]
      : [],
  );
  const prefixes = entries.flatMap((entry): XmlNode[] =>
    entry.isPrefix ? [['CommonPrefixes', [['Prefix', encode(entry.path)]]]] : [],
  );
  return [...contents, ...prefixes];
}

/** Returns what lists tell of an object beside its key. */
export function objectNodes(row: ObjectRow): XmlNode[] {
  const view = viewObject(row);
  return [
    ['LastModified', new Date(row.created_at).toISOString()],
    ['ETag', `"${view.etag}"`],
    ['ChecksumAlgorithm', row.checksum?.split(':')[0]],
    ['Size', view.size ?? row.size],
    ['StorageClass', view.storageClass],
  ];
}

/** The form of a token, so that one of an earlier form can be refused. */
const TOKEN_VERSION = '1';

/** A token is the last key or common prefix of a page. */
const toToken = (last: string): string => Buffer.from(TOKEN_VERSION + last).toString('base64url');

function parseToken(token: string): string {
  const text = Buffer.from(token, 'base64url').toString();
  const isToken = text.startsWith(TOKEN_VERSION) && toToken(text.slice(1)) === token;
  if (isToken && text.length > 1) return text.slice(1);
  throw new S3Error('InvalidArgument', 'The continuation token is not one of this list.', {
    ArgumentName: 'continuation-token',
  });
}
