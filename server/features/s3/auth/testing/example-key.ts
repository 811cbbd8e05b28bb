import type { S3KeyPrincipal } from '../../../access/principal.ts';
import type { AuthenticateDeps } from '../authenticate.ts';
import { SigningKeys } from '../signing-key.ts';
import type { Payload, SignedRequest } from '../types.ts';

/** The credential of the examples in the reference of AWS. */
export const ACCESS_KEY_ID = 'AKIAIOSFODNN7EXAMPLE';
export const SECRET = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
/** The time of the examples. */
export const NOW = Date.UTC(2013, 4, 24);
export const EMPTY_SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

export const PRINCIPAL: S3KeyPrincipal = {
  kind: 's3-key',
  keyId: 'key',
  userId: 'user',
  access: 'both',
  bucketIds: null,
};

/** Returns what `authenticate` needs, with the key of the examples alone. */
export const exampleDeps = (hosts: string[] = []): AuthenticateDeps => ({
  findKey: async (id) =>
    id === ACCESS_KEY_ID
      ? { principal: PRINCIPAL, secret: { id: 'key', read: () => SECRET }, use: () => undefined }
      : undefined,
  signingKeys: new SigningKeys(),
  hosts,
});

/** Returns a request to a path with its query. */
export function requestTo(
  method: string,
  target: string,
  headers: Record<string, string>,
): SignedRequest {
  const [rawPath = '', ...query] = target.split('?');
  return { method, rawPath, rawQuery: query.join('?'), headers: new Headers(headers) };
}

/** Returns the header `Authorization` of the examples. */
export const authorizationOf = (signedHeaders: string, signature: string): string =>
  `AWS4-HMAC-SHA256 Credential=${ACCESS_KEY_ID}/20130524/us-east-1/s3/aws4_request,SignedHeaders=${signedHeaders},Signature=${signature}`;

/** Returns a body that arrives in these pieces. */
export const streamOf = (pieces: Uint8Array[]): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });

/** Returns who sends a body, with a key that stays. */
export const senderOf = (payload: Payload) => ({ payload, recheck: async () => undefined });
