import type { ObjectRow } from '../../files/service.ts';
import type { ReadContext } from '../context.ts';
import { xmlResponse } from '../context.ts';
import { S3Error } from '../errors.ts';
import type { S3Response } from '../request.ts';
import { writeXml, type XmlNode } from '../xml/write.ts';
import { findReadable, openSource } from './get-object.ts';
import { requireKey } from './keys.ts';
import { type ObjectView, viewObject } from './object-view.ts';
import { parseCount } from './parameters.ts';
import { checksumNodes, parseStoredChecksum } from './parts/multipart-checksum.ts';
import { parseParts } from './parts/object-parts.ts';
import { partCountOf } from './requested-range.ts';
import { versionHeaders } from './versions/find-version.ts';

const HEADER = 'x-amz-object-attributes';
const MARKER = 'x-amz-part-number-marker';

/** In the order in which S3 answers them. */
const ATTRIBUTES = ['ETag', 'Checksum', 'ObjectParts', 'StorageClass', 'ObjectSize'] as const;
type Attribute = (typeof ATTRIBUTES)[number];

/** Answers those attributes of an object that a header names. Who may read the object may ask for them. */
export async function getObjectAttributes(context: ReadContext): Promise<S3Response> {
  requireKey(context.key);
  const wanted = parseAttributes(context.request.headers.get(HEADER));
  const row = await findReadable(context);
  const view = viewObject(row);
  const isSizeUnknown = wanted.has('ObjectSize') && view.size === null;
  const opened = isSizeUnknown ? await openSource(context, view) : null;
  const contents: Record<Attribute, XmlNode[1]> = {
    ETag: view.etag,
    Checksum: attributeNodes(row.checksum),
    ObjectParts: wanted.has('ObjectParts') ? await partNodes(context, row, view) : undefined,
    StorageClass: view.storageClass,
    ObjectSize: view.size ?? opened?.size ?? row.size,
  };
  const response = xmlResponse(
    writeXml(
      'GetObjectAttributesResponse',
      ATTRIBUTES.filter((name) => wanted.has(name)).map((name): XmlNode => [name, contents[name]]),
    ),
  );
  const modified = new Date(row.created_at).toUTCString();
  return {
    ...response,
    headers: {
      ...response.headers,
      'last-modified': modified,
      ...versionHeaders(context.bucket, row),
    },
  };
}

function attributeNodes(stored: string | null): XmlNode[] | undefined {
  const checksum = parseStoredChecksum(stored);
  return checksum ? [...checksumNodes(checksum), ['ChecksumType', checksum.type]] : undefined;
}

const MAX_PARTS = 1000;

/** Returns a page of the parts of an object, as two headers ask for it; undefined for an upload in one request. */
async function partNodes(
  { deps, request }: ReadContext,
  row: ObjectRow,
  { etag }: ObjectView,
): Promise<XmlNode[] | undefined> {
  const count = partCountOf(etag);
  if (count === null) return undefined;
  const counts = new Map(request.headers);
  const maxParts = parseCount(counts, 'x-amz-max-parts', MAX_PARTS);
  const marker = counts.has(MARKER) ? parseCount(counts, MARKER, count) : 0;
  const parts = parseParts(await deps.files.partsOf(row.id));
  if (!parts) return [['PartsCount', count]];
  const sizes = parts.sizes.slice(marker, marker + maxParts);
  const algorithm = parseStoredChecksum(row.checksum)?.algorithm;
  return [
    ['PartsCount', count],
    ['PartNumberMarker', marker],
    ['NextPartNumberMarker', marker + sizes.length],
    ['MaxParts', maxParts],
    ['IsTruncated', marker + sizes.length < count],
    ...sizes.map((size, n): XmlNode => {
      const value = parts.checksums?.[marker + n];
      const checksum = algorithm && value !== undefined ? { algorithm, value } : null;
      return ['Part', [['PartNumber', marker + n + 1], ['Size', size], ...checksumNodes(checksum)]];
    }),
  ];
}

function parseAttributes(header: string | null): Set<Attribute> {
  const names = (header ?? '').split(',').map((name) => name.trim());
  const wanted = names.filter((name) => name !== '');
  const unknown = wanted.find((name) => !ATTRIBUTES.some((attribute) => attribute === name));
  if (wanted.length === 0) {
    throw new S3Error('InvalidRequest', `The header ${HEADER} must name an attribute.`);
  }
  if (unknown === undefined) return new Set(wanted as Attribute[]);
  throw new S3Error('InvalidArgument', `${HEADER} can be ${ATTRIBUTES.join(', ')}.`, {
    ArgumentName: HEADER,
    ArgumentValue: unknown,
  });
}
