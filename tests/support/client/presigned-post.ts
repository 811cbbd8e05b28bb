import { createHmac } from 'node:crypto';
import type { CreatedS3KeyWire } from '../../../server/contract/wire.ts';

export type PostFields = Record<string, string>;

type Options = {
  key: Pick<CreatedS3KeyWire, 'access_key_id' | 'secret_access_key'>;
  bucket: string;
  /** Conditions beside those that the fields are as they are. */
  conditions?: unknown[];
  /** Epoch milliseconds; in ten minutes where it is left out. */
  expiresAt?: number;
};

const hmac = (secret: string | Buffer, text: string) =>
  createHmac('sha256', secret).update(text).digest();

/** Returns the fields of a form with its policy, as `createPresignedPost` of AWS's SDK makes them. */
export function presignPost(fields: PostFields, options: Options): PostFields {
  const { key, bucket, conditions = [], expiresAt = Date.now() + 600_000 } = options;
  const date = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  const scope = `${date.slice(0, 8)}/us-east-1/s3/aws4_request`;
  const all = {
    ...{ bucket, ...fields },
    'x-amz-algorithm': 'AWS4-HMAC-SHA256',
    'x-amz-credential': `${key.access_key_id}/${scope}`,
    'x-amz-date': date,
  };
  const named = new Set(conditions.map((one) => (Array.isArray(one) ? one[1] : null)));
  const document = {
    expiration: new Date(expiresAt).toISOString(),
    conditions: [
      ...conditions,
      ...Object.entries(all)
        .filter(([name]) => !named.has(`$${name}`))
        .map(([name, value]) => ({ [name]: value })),
    ],
  };
  const policy = Buffer.from(JSON.stringify(document)).toString('base64');
  const signingKey = scope
    .split('/')
    .reduce<string | Buffer>((secret, part) => hmac(secret, part), `AWS4${key.secret_access_key}`);
  return { ...all, policy, 'x-amz-signature': hmac(signingKey, policy).toString('hex') };
}
