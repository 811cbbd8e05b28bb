import type { UploadPartRow } from '../../../uploads/service.ts';
import {
  CHECKSUM_ALGORITHMS,
  type Checksum,
  type ChecksumAlgorithm,
} from '../../checksums/algorithms.ts';
import { combineCrcs, isCrc } from '../../checksums/crc-combine.ts';
import { checksumHeader } from '../../checksums/declared-checksums.ts';
import { createHasher } from '../../checksums/hasher.ts';
import { S3Error } from '../../errors.ts';
import type { XmlNode } from '../../xml/write.ts';

/** Whether a checksum is one of all bytes, or one of the checksums of the parts. */
export type ChecksumType = 'FULL_OBJECT' | 'COMPOSITE';

/** Which checksum an upload in parts gets. */
export type ChecksumPlan = { algorithm: ChecksumAlgorithm; type: ChecksumType };

const ALGORITHM = 'x-amz-checksum-algorithm';
const TYPE = 'x-amz-checksum-type';

const invalid = (message: string) => new S3Error('InvalidRequest', message);

/** Returns which checksum a client wants for an upload; null for none. Throws InvalidRequest. */
export function parseChecksumPlan(headers: Headers): ChecksumPlan | null {
  const wanted = headers.get(ALGORITHM)?.toUpperCase();
  const type = headers.get(TYPE)?.toUpperCase();
  if (wanted === undefined) {
    if (type === undefined) return null;
    throw invalid(`The header ${TYPE} needs ${ALGORITHM}.`);
  }
  const algorithm = CHECKSUM_ALGORITHMS.find((one) => one === wanted);
  if (!algorithm) throw invalid(`${ALGORITHM} can be ${CHECKSUM_ALGORITHMS.join(', ')}.`);
  const plan = {
    algorithm,
    type: type ?? (algorithm === 'CRC64NVME' ? 'FULL_OBJECT' : 'COMPOSITE'),
  };
  if (plan.type === 'COMPOSITE' && algorithm !== 'CRC64NVME') return { ...plan, type: plan.type };
  if (plan.type === 'FULL_OBJECT' && isCrc(algorithm)) return { ...plan, type: plan.type };
  throw invalid(`The checksum ${algorithm} can't be of the type ${plan.type}.`);
}

/** Returns the headers that confirm which checksum an upload gets. */
export const planHeaders = (plan: ChecksumPlan | null): Record<string, string> =>
  plan === null ? {} : { [ALGORITHM]: plan.algorithm, [TYPE]: plan.type };

/** Returns a checksum as it is stored. */
export const storedChecksum = ({ algorithm, value }: Checksum): string => `${algorithm}:${value}`;

/** Returns a checksum that is stored; null for none. */
export function parseStoredChecksum(
  stored: string | null,
): (Checksum & { type: ChecksumType }) | null {
  if (stored === null) return null;
  const [algorithm, value = ''] = stored.split(':');
  // Base64 has no hyphen: it separates the number of parts.
  const type = value.includes('-') ? 'COMPOSITE' : 'FULL_OBJECT';
  return { algorithm: algorithm as ChecksumAlgorithm, value, type };
}

/** Returns the elements that tell a checksum. */
export const checksumNodes = (checksum: Checksum | null): XmlNode[] =>
  checksum === null ? [] : [[`Checksum${checksum.algorithm}`, checksum.value]];

/**
 * Returns the checksum of the object that parts become, in Base64, and for one of the parts' checksums with their number;
 * null where a part has no such checksum.
 */
export async function checksumOfParts(
  { algorithm, type }: ChecksumPlan,
  parts: Pick<UploadPartRow, 'size' | 'checksum'>[],
): Promise<Checksum | null> {
  const values: { size: number; value: string }[] = [];
  for (const { size, checksum } of parts) {
    const own = parseStoredChecksum(checksum);
    if (own?.algorithm !== algorithm) return null;
    values.push({ size, value: own.value });
  }
  if (type === 'FULL_OBJECT' && isCrc(algorithm)) {
    return { algorithm, value: await combineCrcs(algorithm, values) };
  }
  const hasher = await createHasher(algorithm);
  for (const { value } of values) hasher.update(Buffer.from(value, 'base64'));
  const digest = (await hasher.digest()).toString('base64');
  return { algorithm, value: `${digest}-${parts.length}` };
}

/**
 * Throws where a client expects another checksum or size of the object than its parts make, or another type of checksum
 * than it began the upload with.
 */
export function requireExpectedObject(
  headers: Headers,
  { plan, checksum, size }: { plan: ChecksumPlan | null; checksum: Checksum | null; size: number },
): void {
  const expectedSize = headers.get('x-amz-mp-object-size');
  if (expectedSize !== null && expectedSize !== String(size)) {
    throw invalid(`The parts have ${size} bytes, but x-amz-mp-object-size says ${expectedSize}.`);
  }
  const type = headers.get(TYPE)?.toUpperCase();
  if (type !== undefined && type !== plan?.type) {
    throw invalid(`The upload was not created with the checksum type ${type}.`);
  }
  for (const algorithm of CHECKSUM_ALGORITHMS) {
    const expected = headers.get(checksumHeader(algorithm));
    if (expected === null) continue;
    if (plan !== null && plan.algorithm !== algorithm) {
      throw invalid(`The upload was created with the checksum ${plan.algorithm}.`);
    }
    const calculated = checksum?.value ?? '';
    // Clients leave out the number of parts, or not.
    if (checksum && (expected === calculated || expected === calculated.split('-')[0])) continue;
    // One of an upload that was created without can't be compared.
    if (plan === null) continue;
    throw new S3Error(
      'BadDigest',
      `The object is another one than ${checksumHeader(algorithm)} says.`,
      {
        ExpectedDigest: expected,
        CalculatedDigest: calculated,
      },
    );
  }
}
