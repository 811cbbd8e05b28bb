import { isS3Name } from '../platform/s3-names.ts';
import type { EnvReader } from './reader.ts';

/** The bucket and the access key that the first start creates for the account of ADMIN_EMAIL. */
export type S3BootstrapConfig = {
  bucketName: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** The address of the account. */
  email: string;
};

const ACCESS_KEY_ID = /^[\w.+=@-]{3,128}$/;
const SECRET = /^[\x21-\x7e]{24,128}$/;
const MIN_DIFFERENT_CHARACTERS = 10;

/**
 * Reads what a one-click installer creates with the server: `bucket:key:secret`; null for nothing. A mistake never has
 * the secret, as it is logged.
 * @param isOn whether this server has the S3 API
 */
export function readS3Bootstrap(read: EnvReader, isOn: boolean): S3BootstrapConfig | null {
  const text = read.text('S3_BOOTSTRAP');
  if (text === null) return null;
  const [bucketName = '', accessKeyId = '', ...rest] = text.split(':');
  const secretAccessKey = rest.join(':');
  const email = read.text('ADMIN_EMAIL');
  const mistake = (reason: string) => {
    read.mistake(`S3_BOOTSTRAP ${reason}`);
    return null;
  };
  if (rest.length === 0) return mistake('must have the form bucket:key:secret.');
  if (!isS3Name(bucketName)) {
    return mistake(
      'must begin with the name of a bucket: 3 to 63 lower-case letters, digits, hyphens and dots.',
    );
  }
  if (!ACCESS_KEY_ID.test(accessKeyId)) {
    return mistake('must have an access key ID of 3 to 128 letters and digits behind the bucket.');
  }
  if (isWeak(secretAccessKey) || secretAccessKey.includes(accessKeyId)) {
    return mistake(
      `must have a secret of 24 to 128 characters without spaces, ${MIN_DIFFERENT_CHARACTERS} of them different, that doesn't contain the key. Create one with: openssl rand -hex 20`,
    );
  }
  if (!isOn) return mistake('needs S3_PORT or S3_URL.');
  if (email === null)
    return mistake('needs ADMIN_EMAIL, whose account owns the bucket and the key.');
  return { bucketName, accessKeyId, secretAccessKey, email };
}

const isWeak = (secret: string): boolean =>
  !SECRET.test(secret) || new Set(secret).size < MIN_DIFFERENT_CHARACTERS;
