import { describe, expect, test } from 'bun:test';
import { Elysia } from 'elysia';
import type { KeyScope } from '../../contract/wire.ts';
import { AppError, notFound } from '../../errors.ts';
import { newId } from '../../platform/ids.ts';
import { deriveKeys } from '../../platform/secrets/secrets.ts';
import { ownerPrincipal } from '../access/principal.ts';
import type { Accounts } from '../accounts/service.ts';
import { newApiKey } from '../buckets/api-keys/api-key.ts';
import type { Bucket, Buckets } from '../buckets/service.ts';
import { bucketGuard, type Right } from './guard.ts';
import { Tokens } from './service.ts';

const ID = newId(1);
const OTHER_ID = newId(2);
const keyOf = (bucketId: string, id = bucketId, scope: KeyScope = 'read-write') => ({
  apiKey: newApiKey(),
  bucketId,
  key: { id, scope, expires_at: null, last_used_at: null },
});
const KEYS = {
  own: keyOf(ID),
  other: keyOf(OTHER_ID),
  reader: keyOf(ID, 'reader', 'read'),
  writer: keyOf(ID, 'writer', 'write'),
};
const tokens = new Tokens({
  keys: deriveKeys('a secret of more than thirty-two characters').all('bucket-token'),
  clock: () => 0,
});
const rowOf = (id: string, status: Bucket['status']) =>
  ({ id, status, key_version: 1, key_ids: null, token_ids: null, user_id: 'owner' }) as Bucket;

/** Returns a function that calls a route of the bucket with a right, and returns the status. */
function guarded(right: Right, status: Bucket['status']) {
  const rowById = async (id: string) =>
    id === ID || id === OTHER_ID ? rowOf(id, status) : undefined;
  const buckets = {
    byId: rowById,
    apiKeys: {
      find: async (apiKey: string) => {
        const found = Object.values(KEYS).find((one) => one.apiKey === apiKey);
        return found && { bucket: rowOf(found.bucketId, status), key: found.key };
      },
    },
    async ownedBy(userId: string, id: string) {
      const row = await rowById(id);
      if (row?.user_id !== userId) throw notFound('Bucket');
      return row;
    },
  } as Partial<Buckets> as Buckets;
  const accounts = {
    session: async (token: string) =>
      ({ 'owners-session': { userId: 'owner' }, 'others-session': { userId: 'other' } })[token] ??
      null,
  } as unknown as Accounts;
  const app = new Elysia()
    .onError(({ error, set }) => {
      const cause = error instanceof AppError ? error : (error as Error).cause;
      set.status = cause instanceof AppError ? cause.status : 500;
      return '';
    })
    .use(bucketGuard({ accounts, buckets, tokens }))
    .all('/:bucketID', ({ caller }) => caller.uploader, { caller: right });
  return async (method: string, headers: Record<string, string>) =>
    (await app.handle(new Request(`http://localhost/${ID}`, { method, headers }))).status;
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const mint = (id: string, scope: 'read' | 'write') =>
  tokens.mint(
    {
      bucket: { id, key_version: 1, key_ids: null, token_ids: null },
      principal: ownerPrincipal('owner'),
    },
    { scope, expiresAt: 0 },
  );

const CREDENTIALS = {
  nothing: {},
  nonsense: bearer('nonsense'),
  'the owner’s session': bearer('owners-session'),
  'another user’s session': bearer('others-session'),
  'the bucket’s key': { 'x-api-key': KEYS.own.apiKey },
  'another bucket’s key': { 'x-api-key': KEYS.other.apiKey },
  'its read-only key': { 'x-api-key': KEYS.reader.apiKey },
  'its write-only key': { 'x-api-key': KEYS.writer.apiKey },
  'an unknown key': { 'x-api-key': newApiKey() },
  'its write token': bearer(await mint(ID, 'write')),
  'its read token': bearer(await mint(ID, 'read')),
  'another bucket’s write token': bearer(await mint(OTHER_ID, 'write')),
};

/** The status of a GET that needs the right to read, of one to write, and of a POST that needs that to upload. */
const RUNNING: Record<keyof typeof CREDENTIALS, [read: number, write: number, upload: number]> = {
  nothing: [401, 401, 401],
  nonsense: [401, 401, 401],
  'the owner’s session': [200, 200, 200],
  'another user’s session': [404, 404, 404],
  'the bucket’s key': [200, 200, 200],
  'another bucket’s key': [404, 404, 404],
  'its read-only key': [200, 403, 403],
  'its write-only key': [403, 200, 200],
  'an unknown key': [401, 401, 401],
  'its write token': [401, 401, 200],
  'its read token': [401, 401, 401],
  'another bucket’s write token': [401, 401, 401],
};

describe('a running bucket', () => {
  for (const [name, statuses] of Object.entries(RUNNING)) {
    test(`answers ${name} with ${statuses.join(', ')}`, async () => {
      const headers = CREDENTIALS[name as keyof typeof CREDENTIALS];
      expect([
        await guarded('read', 'running')('GET', headers),
        await guarded('write', 'running')('GET', headers),
        await guarded('upload', 'running')('POST', headers),
      ]).toEqual(statuses);
    });
  }
});

describe('a bucket that is', () => {
  test.each([
    ['suspended', 'the owner’s session', 200, [200, 402, 402, 402, 200]],
    ['suspended', 'the bucket’s key', 200, [200, 402, 402, 402, 200]],
    ['suspended', 'its write token', 401, [200, 402, 402, 402, 200]],
    ['banned', 'the owner’s session', 200, [403, 403, 403, 403, 403]],
    ['banned', 'the bucket’s key', 403, [403, 403, 403, 403, 403]],
    ['banned', 'its write token', 401, [403, 403, 403, 403, 403]],
    ['deleting', 'the owner’s session', 409, [409, 409, 409, 409, 409]],
    ['deleting', 'the bucket’s key', 409, [409, 409, 409, 409, 409]],
  ] as const)('%s answers %s by what is done', async (status, name, manage, uploads) => {
    const headers = CREDENTIALS[name];
    expect(await guarded('write', status)('POST', headers)).toBe(manage);
    const call = guarded('upload', status);
    const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
    expect(await Promise.all(methods.map((method) => call(method, headers)))).toEqual([...uploads]);
  });
});
