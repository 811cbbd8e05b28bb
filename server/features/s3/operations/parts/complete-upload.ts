import { MIB } from '../../../../contract/limits.ts';
import type { SourceObject } from '../../../../platform/storage/port.ts';
import { actorOf } from '../../../access/principal.ts';
import { sizeRefusal } from '../../../buckets/service.ts';
import type { CompletedFile, UploadPartRow } from '../../../uploads/service.ts';
import { CHECKSUM_ALGORITHMS, type Checksum } from '../../checksums/algorithms.ts';
import type { ObjectContext } from '../../context.ts';
import { xmlResponse } from '../../context.ts';
import { S3Error } from '../../errors.ts';
import { processAs, readHead } from '../../process-as.ts';
import type { S3Response } from '../../request.ts';
import { childrenOf, textsOf, type XmlElement } from '../../xml/parse.ts';
import { writeXml } from '../../xml/write.ts';
import { expectedBy, expectedFileOf, requireExpected, rethrowUnexpected } from '../conditions.ts';
import { nameOf } from '../keys.ts';
import { fieldsOf, findUpload, MAX_PARTS, rethrowEnded } from '../multipart.ts';
import { MAX_LIST_BYTES, readXml } from '../read-text.ts';
import { newVersionHeaders } from '../versions/find-version.ts';
import { requireAllowedBytes } from './allowed-bytes.ts';
import {
  type ChecksumPlan,
  checksumNodes,
  checksumOfParts,
  parseStoredChecksum,
  requireExpectedObject,
  storedChecksum,
} from './multipart-checksum.ts';
import type { ObjectParts } from './object-parts.ts';

/** As in S3. */
const MIN_PART_BYTES = 5 * MIB;

/** Makes the parts that the client names one object. It can be repeated for a day, and answers the same. */
export async function completeMultipartUpload(context: ObjectContext): Promise<S3Response> {
  const { deps, request, bucket, bucketName, key, caller } = context;
  const upload = await findUpload(context);
  const body = { maxBytes: MAX_LIST_BYTES, hasChecksumOfObject: true };
  const sent = parseComplete(await readXml(context, body));
  const stored = await deps.uploads.multipart.parts(upload.id, { after: 0, limit: MAX_PARTS });
  const parts = requireParts(sent, stored);
  const etag = etagOfParts(parts);
  const { fields, plan, replaced } = fieldsOf(upload);
  const checksum = plan && (await checksumOfParts(plan, parts));
  const size = parts.reduce((sum, part) => sum + part.size, 0);
  requireExpectedObject(request.headers, { plan, checksum, size });
  const complete = async () => {
    const expectedFile = expectedFileOf(request.headers, replaced);
    await requireAccepted(context, { parts, size, expectedFile });
    const file = {
      ...fields,
      checksum: checksum && storedChecksum(checksum),
      parts: partsJson(plan, parts),
      inspect: async (object: SourceObject) => {
        await requireAllowedBytes(context, object);
        return processAs(deps, bucket, { ...fields, size }, () => readHead(deps, object));
      },
      ...{ name: nameOf(key), path: key, etag, actor: actorOf(caller.principal) },
      ...{ preconditions: expectedBy(request.headers), expectedFile },
    };
    await deps.uploads.multipart
      .complete(bucket, upload, parts, file)
      .catch((error) => rethrowEnded(upload, error))
      .catch((error) => rethrowUnexpected(context, error));
  };
  if (upload.file_id === null) {
    await complete().catch(async (error) => {
      // The object that the client does not expect may be this upload, which another request has completed meanwhile.
      if ((await findUpload(context)).file_id === null) throw error;
    });
  }
  const { file_id: fileId } = await findUpload(context);
  return xmlResponse(
    writeXml('CompleteMultipartUploadResult', [
      ['Location', `/${bucketName}/${key}`],
      ['Bucket', bucketName],
      ['Key', key],
      ['ETag', `"${etag}"`],
      ...checksumNodes(checksum),
      ['ChecksumType', checksum ? plan?.type : undefined],
    ]),
    200,
    fileId === null ? {} : newVersionHeaders(bucket, fileId),
  );
}

/** Throws what the bucket would refuse, before its storage joins the parts. */
async function requireAccepted(
  context: ObjectContext,
  {
    parts,
    size,
    expectedFile,
  }: { parts: UploadPartRow[]; size: number } & Pick<CompletedFile, 'expectedFile'>,
): Promise<void> {
  const { deps, request, bucket, key } = context;
  const expected = expectedBy(request.headers);
  if (expected.ifMatch !== null || expected.ifNoneMatch !== null) {
    const row = await deps.files.objectAt(bucket.id, key);
    requireExpected(expected, key, row);
    if (expectedFile && expectedFile.id !== (row?.id ?? null)) throw expectedFile.otherwise();
  }
  const refusal = sizeRefusal(bucket, size);
  if (refusal) throw refusal;
  if (size > deps.maxFileBytes) {
    throw new S3Error('EntityTooLarge', 'The object is larger than this server accepts.');
  }
  const [first] = parts;
  if (first) await requireAllowedBytes(context, { key: first.object_key, size: first.size });
}

/** Returns the parts as they are stored with the bytes. */
function partsJson(plan: ChecksumPlan | null, parts: UploadPartRow[]): string {
  const checksums = parts.flatMap(({ checksum }) => parseStoredChecksum(checksum)?.value ?? []);
  const stored: ObjectParts = {
    sizes: parts.map(({ size }) => size),
    checksums: plan !== null && checksums.length === parts.length ? checksums : null,
  };
  return JSON.stringify(stored);
}

/** A part as a client names it, with the checksums that it says the part has. */
type SentPart = { number: number; etag: string; checksums: Checksum[] };

const CHECKSUM_ELEMENTS = CHECKSUM_ALGORITHMS.map(
  (algorithm) => [`Checksum${algorithm}`, algorithm] as const,
);
const PART_ELEMENTS = new Set(['PartNumber', 'ETag', ...CHECKSUM_ELEMENTS.map(([name]) => name)]);

function parseComplete(root: XmlElement): SentPart[] {
  const parts = childrenOf(root, 'Part');
  if (root.name !== 'CompleteMultipartUpload' || parts.length === 0 || parts.length > MAX_PARTS) {
    throw new S3Error('MalformedXML', `Send 1 to ${MAX_PARTS} parts.`);
  }
  return parts.map((part) => {
    const texts = textsOf(part, PART_ELEMENTS);
    const number = texts.get('PartNumber')?.trim() ?? '';
    const etag = texts.get('ETag')?.trim().replaceAll('"', '') ?? '';
    const checksums = CHECKSUM_ELEMENTS.flatMap(([name, algorithm]) => {
      const value = texts.get(name)?.trim();
      return value ? [{ algorithm, value }] : [];
    });
    if (/^\d{1,5}$/.test(number) && etag !== '') return { number: Number(number), etag, checksums };
    throw new S3Error('MalformedXML', 'A part needs a PartNumber and an ETag.');
  });
}

/** Returns the rows of the parts that a client names. Throws InvalidPartOrder, InvalidPart, EntityTooSmall. */
export function requireParts(sent: SentPart[], stored: UploadPartRow[]): UploadPartRow[] {
  const rows = new Map(stored.map((row) => [row.position, row]));
  const isAscending = sent.every(({ number }, n) => n === 0 || number > (sent[n - 1]?.number ?? 0));
  if (!isAscending) {
    throw new S3Error('InvalidPartOrder', 'The parts must be in the order of their numbers.');
  }
  return sent.map(({ number, etag, checksums }, n) => {
    const row = rows.get(number);
    const stored = row?.checksum ?? null;
    const isOther = stored !== null && checksums.some((one) => storedChecksum(one) !== stored);
    if (!row || row.md5 !== etag || isOther) {
      throw new S3Error(
        'InvalidPart',
        `Part ${number} is missing, or has another ETag or checksum.`,
        {
          PartNumber: String(number),
        },
      );
    }
    if (n < sent.length - 1 && row.size < MIN_PART_BYTES) {
      throw new S3Error('EntityTooSmall', 'All parts but the last must have at least 5 MiB.', {
        PartNumber: String(number),
        ProposedSize: String(row.size),
        MinSizeAllowed: String(MIN_PART_BYTES),
      });
    }
    return row;
  });
}

/** Returns the ETag of an object in parts, as S3 and its clients compute it: the MD5 of the MD5s, and their number. */
export function etagOfParts(parts: Pick<UploadPartRow, 'md5'>[]): string {
  const hasher = new Bun.CryptoHasher('md5');
  for (const { md5 } of parts) hasher.update(Buffer.from(md5 ?? '', 'hex'));
  return `${hasher.digest('hex')}-${parts.length}`;
}
