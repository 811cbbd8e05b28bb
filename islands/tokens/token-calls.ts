import { call } from '../runtime/api.ts';

export type Scope = 'read' | 'write';

export const rollKey = async (bucketId: string) =>
  (await call('PUT /buckets/roll/api-key/:bucketID', { params: { bucketID: bucketId } })).api_key;

/** `expires` is in epoch seconds, 0 for none. */
export const mintToken = async (bucketId: string, expires: number, scope: Scope) =>
  (
    await call('POST /buckets/jwt/:bucketID/:expires/:scope', {
      params: { bucketID: bucketId, expires, scope },
    })
  ).jwt;
