import { BEHIND_ALL_IDS } from '../../../platform/ids.ts';
import { raisedPrefix } from '../../files/service.ts';
import type { MultipartUpload } from '../../uploads/service.ts';
import type { BucketContext, ObjectContext } from '../context.ts';
import { xmlResponse } from '../context.ts';
import type { S3Response } from '../request.ts';
import { writeXml, type XmlNode } from '../xml/write.ts';
import { ownerNode } from './list-buckets.ts';
import { fieldsOf, findUpload } from './multipart.ts';
import { keyEncoding, parseCount } from './parameters.ts';
import { checksumNodes, parseStoredChecksum } from './parts/multipart-checksum.ts';

const MAX_ENTRIES = 1000;

/** Lists the parts of an upload. */
export async function listParts(context: ObjectContext): Promise<S3Response> {
  const { deps, query, bucket, bucketName, key } = context;
  const upload = await findUpload(context);
  const maxParts = parseCount(query, 'max-parts', MAX_ENTRIES);
  const after = query.has('part-number-marker')
    ? parseCount(query, 'part-number-marker', 10_000)
    : 0;
  const rows = await deps.uploads.multipart.parts(upload.id, { after, limit: maxParts + 1 });
  const page = rows.slice(0, maxParts);
  const { encode, type } = keyEncoding(query);
  const { plan } = fieldsOf(upload);
  return xmlResponse(
    writeXml('ListPartsResult', [
      ['Bucket', bucketName],
      ['Key', encode(key)],
      ['EncodingType', type],
      ['UploadId', upload.id],
      ['Initiator', ownerNode(bucket.user_id)[1]],
      ownerNode(bucket.user_id),
      ['StorageClass', 'STANDARD'],
      ['ChecksumAlgorithm', plan?.algorithm],
      ['ChecksumType', plan?.type],
      ['PartNumberMarker', after],
      ['NextPartNumberMarker', page.at(-1)?.position ?? 0],
      ['MaxParts', maxParts],
      ['IsTruncated', rows.length > maxParts],
      ...page.map(
        (part): XmlNode => [
          'Part',
          [
            ['PartNumber', part.position],
            ['ETag', `"${part.md5}"`],
            ['Size', part.size],
            ...checksumNodes(parseStoredChecksum(part.checksum)),
            ['LastModified', new Date(upload.touched_at || upload.created_at).toISOString()],
          ],
        ],
      ),
    ]),
  );
}

/** An upload, or what the keys of several have in common up to the delimiter. */
type Entry = { upload: MultipartUpload } | { prefix: string };

/** Lists the unfinished uploads of a bucket. */
export async function listMultipartUploads(context: BucketContext): Promise<S3Response> {
  const { query, bucket, bucketName } = context;
  const maxUploads = parseCount(query, 'max-uploads', MAX_ENTRIES);
  const { encode, type } = keyEncoding(query);
  const found = maxUploads === 0 ? [] : await findEntries(context, maxUploads + 1);
  const page = found.slice(0, maxUploads);
  const isTruncated = found.length > maxUploads;
  const last = page.at(-1);
  const lastKey = last && ('prefix' in last ? last.prefix : last.upload.path);
  return xmlResponse(
    writeXml('ListMultipartUploadsResult', [
      ['Bucket', bucketName],
      ['KeyMarker', encode(query.get('key-marker') ?? '')],
      ['UploadIdMarker', query.get('upload-id-marker') ?? ''],
      ['NextKeyMarker', isTruncated && lastKey !== undefined ? encode(lastKey) : undefined],
      ['NextUploadIdMarker', isTruncated && last && 'upload' in last ? last.upload.id : undefined],
      ['Prefix', encode(query.get('prefix') ?? '')],
      ['Delimiter', query.has('delimiter') ? encode(query.get('delimiter') ?? '') : undefined],
      ['EncodingType', type],
      ['MaxUploads', maxUploads],
      ['IsTruncated', isTruncated],
      ...page.map(
        (entry): XmlNode =>
          'prefix' in entry
            ? ['CommonPrefixes', [['Prefix', encode(entry.prefix)]]]
            : uploadNode(entry.upload, encode, bucket.user_id),
      ),
    ]),
  );
}

const uploadNode = (
  { id, path, created_at }: MultipartUpload,
  encode: (key: string) => string,
  userId: string,
): XmlNode => [
  'Upload',
  [
    ['Key', encode(path)],
    ['UploadId', id],
    ['Initiator', ownerNode(userId)[1]],
    ownerNode(userId),
    ['StorageClass', 'STANDARD'],
    ['Initiated', new Date(created_at).toISOString()],
  ],
];

/** Returns the first entries of a list. Each common prefix is passed over, however many uploads it stands for. */
async function findEntries(context: BucketContext, limit: number): Promise<Entry[]> {
  const { deps, query, bucket } = context;
  const prefix = query.get('prefix') ?? '';
  const delimiter = query.get('delimiter') ?? '';
  const before = prefix === '' ? null : raisedPrefix(prefix);
  const entries: Entry[] = [];
  let { from, after } = startOf(query, prefix, delimiter);
  while (from !== null && entries.length < limit) {
    const rows = await deps.uploads.multipart.list(bucket.id, { from, before, after, limit });
    let passed: string | null = null;
    for (const upload of rows) {
      const end = delimiter === '' ? -1 : upload.path.indexOf(delimiter, prefix.length);
      if (end < 0) entries.push({ upload });
      else {
        passed = upload.path.slice(0, end + delimiter.length);
        entries.push({ prefix: passed });
        break;
      }
    }
    const last = rows.at(-1);
    if (passed !== null) [from, after] = [raisedPrefix(passed), null];
    else if (rows.length < limit || !last) break;
    else after = { path: last.path, id: last.id };
  }
  return entries;
}

function startOf(query: ReadonlyMap<string, string>, prefix: string, delimiter: string) {
  const marker = query.get('key-marker') ?? '';
  const uploadId = query.get('upload-id-marker') ?? '';
  type Start = { from: string | null; after: { path: string; id: string } | null };
  const start: Start = { from: prefix, after: null };
  if (marker === '') return start;
  if (delimiter !== '' && marker.startsWith(prefix) && marker.endsWith(delimiter)) {
    return { ...start, from: raisedPrefix(marker) };
  }
  // Without an id, the list goes on behind all uploads for the key.
  return { ...start, after: { path: marker, id: uploadId || BEHIND_ALL_IDS } };
}
