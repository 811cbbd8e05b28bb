import { describe, expect, test } from 'bun:test';
import { Elysia } from 'elysia';
import { AppError, notFound } from '../../errors.ts';
import { newId } from '../../platform/ids.ts';
import { deriveKeys } from '../../platform/secrets/secrets.ts';
import type { Accounts } from '../accounts/service.ts';
import { newApiKey } from '../buckets/api-keys/api-key.ts';
import type { Bucket, Buckets } from '../buckets/service.ts';
import { bucketGuard, type Right } from './guard.ts';
import { Tokens } from './service.ts';

const ID = newId(1);
const OTHER_ID = newId(2);
const KEYS = { [ID]: newApiKey(), [OTHER_ID]: newApiKey() };
const tokens = new Tokens({
  keys: deriveKeys('a secret of more than thirty-two characters').all('bucket-token'),
  clock: () => 0,
});
const rowOf = (id: string, status: Bucket['status']) =>
  ({ id, status, key_version: 1, user_id: 'owner' }) as Bucket;

/** Returns a function that calls a route of the bucket with a right, and returns the status. */
function guarded(right: Right, status: Bucket['status']) {
  const rowById = async (id: string) =>
    id === ID || id === OTHER_ID ? rowOf(id, status) : undefined;
  const buckets = {
    byId: rowById,
    byApiKey: async (apiKey: string) => {
      const [id] = Object.entries(KEYS).find(([, key]) => key === apiKey) ?? [];
      return id === undefined ? undefined : rowOf(id, status);
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
  tokens.mint({ id, key_version: 1 }, { scope, expiresAt: 0 });

const CREDENTIALS = {
  nothing: {},
  nonsense: bearer('nonsense'),
  'the owner’s session': bearer('owners-session'),
  'another user’s session': bearer('others-session'),
  'the bucket’s key': { 'x-api-key': KEYS[ID] ?? '' },
  'another bucket’s key': { 'x-api-key': KEYS[OTHER_ID] ?? '' },
  'an unknown key': { 'x-api-key': newApiKey() },
  'its write token': bearer(await mint(ID, 'write')),
  'its read token': bearer(await mint(ID, 'read')),
  'another bucket’s write token': bearer(await mint(OTHER_ID, 'write')),
};

/** The status of a GET that needs the right to manage, and of a POST that needs the right to upload. */
const RUNNING: Record<keyof typeof CREDENTIALS, [manage: number, upload: number]> = {
  nothing: [401, 401],
  nonsense: [401, 401],
  'the owner’s session': [200, 200],
  'another user’s session': [404, 404],
  'the bucket’s key': [200, 200],
  'another bucket’s key': [404, 404],
  'an unknown key': [401, 401],
  'its write token': [401, 200],
  'its read token': [401, 401],
  'another bucket’s write token': [401, 401],
};

describe('a running bucket', () => {
  for (const [name, statuses] of Object.entries(RUNNING)) {
    test(`answers ${name} with ${statuses.join(' and ')}`, async () => {
      const headers = CREDENTIALS[name as keyof typeof CREDENTIALS];
      expect([
        await guarded('manage', 'running')('GET', headers),
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
    expect(await guarded('manage', status)('POST', headers)).toBe(manage);
    const call = guarded('upload', status);
    const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
    expect(await Promise.all(methods.map((method) => call(method, headers)))).toEqual([...uploads]);
  });
});
