import { createHmac } from 'node:crypto';
import { S3Error } from '../errors.ts';
import { type AuthenticateDeps, noSuchKey } from './authenticate.ts';
import { readFormSignature } from './signature-parameters.ts';
import { isSameSignature, sign } from './signing-key.ts';
import type { S3Caller } from './types.ts';

type KeyCaller = Extract<S3Caller, { kind: 'key' }>;

/**
 * Returns who has signed the policy of a form, by its fields. Besides Version 4 the one of Version 2 is taken, which
 * libraries make for forms still. The policy says until when it is valid, and what the form may send.
 * @param fields by their names in lower case
 * @param now epoch milliseconds
 * @throws S3Error where the signature is missing, malformed or wrong
 */
export async function authenticateForm(
  { findKey, signingKeys }: Pick<AuthenticateDeps, 'findKey' | 'signingKeys'>,
  fields: ReadonlyMap<string, string>,
  now: number,
): Promise<KeyCaller> {
  const policy = fields.get('policy');
  if (policy === undefined) {
    throw new S3Error('AccessDenied', 'The form needs a signed policy, in fields before its file.');
  }
  const parameters = fields.has('awsaccesskeyid') ? null : readFormSignature(fields);
  const accessKeyId = parameters?.accessKeyId ?? fields.get('awsaccesskeyid') ?? '';
  const signature = parameters?.signature ?? fields.get('signature');
  if (signature === undefined) {
    throw new S3Error('InvalidArgument', 'The form needs a signature beside AWSAccessKeyId.', {
      ArgumentName: 'Signature',
    });
  }
  const find = async () => {
    const key = await findKey(accessKeyId);
    if (key) return key;
    throw noSuchKey(accessKeyId);
  };
  const key = await find();
  const expected = parameters
    ? sign(signingKeys.get(key.secret, parameters), policy)
    : createHmac('sha1', key.secret.read()).update(policy).digest('base64');
  if (!isSameSignature(expected, signature)) throw mismatch(accessKeyId, policy);
  key.use(now);
  const recheck = async () => (await find()).use(now);
  return {
    ...{ kind: 'key', proof: 'presigned', principal: key.principal, recheck },
    payload: { mode: 'unsigned' },
  };
}

const mismatch = (accessKeyId: string, policy: string) =>
  new S3Error(
    'SignatureDoesNotMatch',
    "The signature of the form's policy doesn't match. Check the secret access key, and that the form sends the policy exactly as it was signed.",
    { AWSAccessKeyId: accessKeyId, StringToSign: policy },
  );
