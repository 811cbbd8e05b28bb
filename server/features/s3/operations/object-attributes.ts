import type { ReadContext } from '../context.ts';
import { xmlResponse } from '../context.ts';
import { S3Error } from '../errors.ts';
import type { S3Response } from '../request.ts';
import { writeXml, type XmlNode } from '../xml/write.ts';
import { findReadable, openSource } from './get-object.ts';
import { requireKey } from './keys.ts';
import { viewObject } from './object-view.ts';
import { partCountOf } from './requested-range.ts';
import { versionHeaders } from './versions/find-version.ts';

const HEADER = 'x-amz-object-attributes';

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
  const parts = partCountOf(view.etag);
  const contents: Record<Attribute, XmlNode[1]> = {
    ETag: view.etag,
    Checksum: checksumNodes(row.checksum),
    ObjectParts: parts === null ? undefined : [['PartsCount', parts]],
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

function checksumNodes(checksum: string | null): XmlNode[] | undefined {
  if (checksum === null) return undefined;
  const [algorithm = '', value = ''] = checksum.split(':');
  return [
    [`Checksum${algorithm}`, value],
    ['ChecksumType', 'FULL_OBJECT'],
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
