import type { CreatedS3KeyWire } from '../../../server/contract/wire.ts';
import { signRequest } from '../../../server/features/s3/auth/testing/sign-request.ts';

type Server = { config: { s3: { url: string } | null } };
type Init = { body?: string; headers?: Record<string, string> };

/**
 * Returns a function that sends signed requests to the S3 API, also those that no client of AWS would send.
 * @returns its `target` is the path and the query, beginning with a slash
 */
export const signedFetch =
  (
    { config }: Server,
    key: Pick<CreatedS3KeyWire, 'access_key_id' | 'secret_access_key'>,
  ): ((method: string, target: string, init?: Init) => Promise<Response>) =>
  (method, target, { body, headers } = {}) => {
    const url = new URL(config.s3?.url ?? '');
    const signed = signRequest({
      ...{ method, target, at: Date.now() },
      ...{ accessKeyId: key.access_key_id, secret: key.secret_access_key },
      headers: { host: url.host, ...headers },
    });
    return fetch(`${url.origin}${target}`, {
      method,
      headers: signed.headers,
      ...(body !== undefined && { body }),
    });
  };
