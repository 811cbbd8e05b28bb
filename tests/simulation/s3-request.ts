import { signRequest } from '../../server/features/s3/auth/testing/sign-request.ts';
import type { S3Response } from '../../server/features/s3/request.ts';
import type { SimulatedProcess } from './simulated-process.ts';

export const S3_URL = 'http://s3.localhost';

/** A request to the S3 API, whose target is a path with its query. */
export type S3Call = {
  method: string;
  target: string;
  headers?: Record<string, string>;
  body?: string;
};
export type S3Credentials = { id: string; secret: string };

/** Sends a signed request to a process. Returns null where the process dies before its answer. */
export function sendS3(
  process: SimulatedProcess,
  { method, target, headers, body, stream }: S3Call & { stream: ReadableStream<Uint8Array> | null },
  { id, secret }: S3Credentials,
  clock: () => number,
): Promise<S3Response | null> {
  const { s3 } = process.services;
  if (!s3) throw new Error('The S3 API is off.');
  return process.attempt(`s3 ${method} ${target}`, () => {
    const signed = signRequest({
      ...{ method, target, at: clock(), accessKeyId: id, secret },
      headers: {
        host: new URL(S3_URL).host,
        ...(body !== undefined && { 'content-length': String(body.length) }),
        ...headers,
      },
    });
    const about = { id: 'request', socketAddress: '127.0.0.1', basePath: '' };
    return s3.handle({ ...signed, ...about, body: stream });
  });
}
