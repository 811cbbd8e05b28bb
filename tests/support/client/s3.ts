import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import type { CreatedS3KeyWire } from '../../../server/contract/wire.ts';
import type { TestUser } from './api.ts';

type Server = { config: { s3: { url: string } | null } };

/** Creates an access key of a user. */
export async function createS3Key(
  { client, authorization }: Pick<TestUser, 'client' | 'authorization'>,
  form: { access?: 'read' | 'write' | 'both'; buckets?: string[] } = {},
): Promise<CreatedS3KeyWire> {
  const response = await client.fetch('/s3-keys', {
    method: 'POST',
    headers: { ...authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ access: 'both', ...form }),
  });
  if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()) as CreatedS3KeyWire;
}

/** Returns AWS's own client with an access key. */
export const s3Client = (
  { config }: Server,
  key: Pick<CreatedS3KeyWire, 'access_key_id' | 'secret_access_key'>,
  more: S3ClientConfig = {},
): S3Client =>
  new S3Client({
    endpoint: config.s3?.url ?? '',
    region: 'us-east-1',
    forcePathStyle: true,
    maxAttempts: 1,
    credentials: { accessKeyId: key.access_key_id, secretAccessKey: key.secret_access_key },
    ...more,
  });

/** Returns the code and the status with which a call fails; throws where it does not. */
export async function refusalOf(call: Promise<unknown>): Promise<[string, number | undefined]> {
  try {
    await call;
  } catch (error) {
    const { name, $metadata } = error as { name: string; $metadata?: { httpStatusCode?: number } };
    return [name, $metadata?.httpStatusCode];
  }
  throw new Error('The call was not refused.');
}
