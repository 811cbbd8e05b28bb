import { api, call } from '../runtime/api.ts';

export type Scope = 'read' | 'write';

export const rollKey = async (bucketId: string) =>
  (await call(api.buckets.roll['api-key']({ bucketID: bucketId }).put())).api_key;

/** `expires` is in epoch seconds, 0 for none. */
export const mintToken = async (bucketId: string, expires: number, scope: Scope) =>
  (await call(api.buckets.jwt({ bucketID: bucketId })({ expires })({ scope }).post())).jwt;
