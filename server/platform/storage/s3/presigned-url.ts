import { GetObjectCommand } from '@aws-sdk/client-s3';
import type { LinkAnswer } from '../port.ts';
import type { S3Bucket } from './client.ts';

/** A signed address of an object, for anybody who has it. `key` is the whole key in the bucket. */
export async function createPresignedUrl(
  { reading, name }: S3Bucket,
  key: string,
  seconds: number,
  { contentType, contentDisposition, cacheControl }: LinkAnswer,
): Promise<string> {
  // Loaded with the first link: few servers make any.
  const { getSignedUrl } = await import('@aws-sdk/s3-request-presigner');
  const command = new GetObjectCommand({
    Bucket: name,
    Key: key,
    ResponseContentType: contentType,
    ResponseContentDisposition: contentDisposition,
    ResponseCacheControl: cacheControl,
  });
  return getSignedUrl(reading, command, { expiresIn: seconds });
}
