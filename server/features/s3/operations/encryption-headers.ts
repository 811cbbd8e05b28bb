import { createHash } from 'node:crypto';
import { S3Error } from '../errors.ts';

const ENCRYPTION = 'x-amz-server-side-encryption';
const KMS_KEY = `${ENCRYPTION}-aws-kms-key-id`;
const CUSTOMER = `${ENCRYPTION}-customer-`;
const ALGORITHMS = ['AES256', 'aws:kms', 'aws:kms:dsse'];

/**
 * Throws for headers that ask for encryption: InvalidArgument where they contradict each other, as a mistake is told
 * before what is not supported, and else NotImplemented. Who sends one must not believe that an object is encrypted.
 */
export function refuseEncryption(headers: Headers): void {
  const sent = [...headers.keys()].find((name) => name.startsWith(ENCRYPTION));
  if (sent === undefined) return;
  const mistake = findMistake(headers);
  if (mistake) throw new S3Error('InvalidArgument', mistake, { ArgumentName: sent });
  throw new S3Error(
    'NotImplemented',
    `The header ${sent} is not supported: this server does not encrypt objects.`,
  );
}

function findMistake(headers: Headers): string | null {
  const algorithm = headers.get(ENCRYPTION);
  const kmsKey = headers.get(KMS_KEY);
  const [customer, key, md5] = ['algorithm', 'key', 'key-md5'].map((name) =>
    headers.get(CUSTOMER + name),
  );
  if (algorithm !== null && !ALGORITHMS.includes(algorithm)) {
    return `${ENCRYPTION} must be one of ${ALGORITHMS.join(', ')}.`;
  }
  if (kmsKey !== null && !algorithm?.startsWith('aws:kms')) {
    return `${KMS_KEY} needs the header ${ENCRYPTION}: aws:kms.`;
  }
  const count = [customer, key, md5].filter((value) => value != null).length;
  if (count === 0) return null;
  if (algorithm !== null) return `${ENCRYPTION} and a key of the client exclude each other.`;
  if (customer !== 'AES256' || key == null || md5 == null) {
    return `A key of the client needs ${CUSTOMER}algorithm: AES256, ${CUSTOMER}key and ${CUSTOMER}key-MD5.`;
  }
  const hash = createHash('md5').update(Buffer.from(key, 'base64')).digest('base64');
  return hash === md5 ? null : `${CUSTOMER}key-MD5 is not the MD5 of the key.`;
}
