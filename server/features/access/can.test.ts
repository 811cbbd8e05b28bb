import { describe, expect, test } from 'bun:test';
import { HOUR } from '../../contract/limits.ts';
import type { BucketStatus, KeyScope } from '../../contract/wire.ts';
import { type Action, can, type FileResource, type Refusal } from './can.ts';
import {
  keyPrincipal,
  NOBODY,
  type Principal,
  type S3KeyPrincipal,
  type TokenClaims,
} from './principal.ts';

const NOW = Date.UTC(2026, 0, 1);
const CLAIMS: TokenClaims = {
  id: 'token',
  bucketId: 'bucket',
  fileId: null,
  prefix: null,
  keyVersion: 7,
  keyId: null,
  isListed: false,
  expiresAt: NOW + HOUR,
};

const keyOf = (bucketId: string, id = bucketId, scope: KeyScope = 'read-write') =>
  keyPrincipal(bucketId, { id, scope, expires_at: null });

const s3Key = (
  userId: string,
  access: S3KeyPrincipal['access'] = 'both',
  bucketIds: string[] | null = null,
): S3KeyPrincipal => ({ kind: 's3-key', keyId: `${userId}-${access}`, userId, access, bucketIds });

const PRINCIPALS = {
  owner: { kind: 'session', userId: 'owner', isAdmin: false },
  'another user': { kind: 'session', userId: 'other', isAdmin: false },
  admin: { kind: 'session', userId: 'admin', isAdmin: true },
  'API key': keyOf('bucket'),
  'API key of another bucket': keyOf('other'),
  'read-only key': keyOf('bucket', 'reader', 'read'),
  'write-only key': keyOf('bucket', 'writer', 'write'),
  'read-only key of another bucket': keyOf('other', 'reader', 'read'),
  'S3 key': s3Key('owner'),
  'S3 key of the bucket alone': s3Key('owner', 'both', ['another', 'bucket']),
  'S3 key of other buckets': s3Key('owner', 'both', ['another']),
  'S3 key of no bucket': s3Key('owner', 'both', []),
  'read-only S3 key': s3Key('owner', 'read'),
  'write-only S3 key': s3Key('owner', 'write'),
  'S3 key of another account': s3Key('other'),
  'S3 key of another account with the id of the bucket': s3Key('other', 'both', ['bucket']),
  'write token': { kind: 'write-token', claims: CLAIMS },
  'write token of another bucket': {
    kind: 'write-token',
    claims: { ...CLAIMS, bucketId: 'other' },
  },
  'read token': { kind: 'read-token', claims: CLAIMS },
  'invalid token': { kind: 'invalid-token' },
  nobody: NOBODY,
} as const satisfies Record<string, Principal>;
type Name = keyof typeof PRINCIPALS;
const NAMES = Object.keys(PRINCIPALS) as Name[];

/** The principals before a read token, which is never let in like those behind it. */
const REFUSALS = NAMES.indexOf('read token');

const [hidden, none] = ['hidden', 'unauthenticated'] as const;
const [upload, readOnly, writeOnly] = ['upload-only', 'read-only', 'write-only'] as const;
const [deleting, banned, unpaid] = ['deleting', 'banned', 'unpaid'] as const;

/** In the order of PRINCIPALS, whose last three are never let in. */
const row = (...refusals: (Refusal | null)[]) =>
  Object.fromEntries(NAMES.map((name, n) => [name, n < REFUSALS ? refusals[n] : none]));
type Row = ReturnType<typeof row>;

/** What only a session of the owner may do. */
const owners = (owner: Refusal | null): Row =>
  row(owner, hidden, hidden, ...Array(REFUSALS - 3).fill(none));

/** What a session of the owner, the keys of the bucket and its write tokens may do; nobody else may. */
const members = (
  owner: Refusal | null,
  key: Refusal | null,
  readOnlyKey: Refusal | null,
  writeOnlyKey: Refusal | null,
  writeToken: Refusal | null,
): Row =>
  row(
    ...[owner, hidden, hidden, key, hidden, readOnlyKey, writeOnlyKey, hidden],
    ...[key, key, hidden, hidden, readOnlyKey, writeOnlyKey, hidden, hidden],
    ...[writeToken, none],
  );

/** What a session of the owner and an S3 key of all their buckets may do, which other keys would otherwise undo. */
const configurers = (
  owner: Refusal | null,
  wholeKey: Refusal | null,
  readOnlyKey: Refusal,
  refused?: Refusal,
): Row =>
  row(
    ...[owner, hidden, hidden, refused ?? 'forbidden', hidden, readOnlyKey],
    ...[refused ?? 'forbidden', hidden, wholeKey, refused ?? 'forbidden', hidden, hidden],
    ...([readOnlyKey, refused ?? 'write-only', hidden, hidden, upload, none] as const),
  );

/** Of each action and state of the bucket, why each principal is refused; null where it is not. */
const DECISIONS: Partial<Record<Action, Partial<Record<BucketStatus, Row>>>> = {
  'view-bucket': {
    running: owners(null),
    suspended: owners(null),
    banned: owners(null),
    deleting: owners(null),
  },
  'change-bucket': {
    running: owners(null),
    suspended: owners(null),
    banned: owners(null),
    deleting: owners(deleting),
  },
  'configure-bucket': {
    running: configurers(null, null, readOnly),
    suspended: configurers(null, null, readOnly),
    banned: configurers(null, banned, readOnly, banned),
    deleting: configurers(deleting, deleting, readOnly, deleting),
  },
  'read-files': {
    running: members(null, null, null, writeOnly, upload),
    suspended: members(null, null, null, writeOnly, upload),
    banned: members(null, banned, banned, writeOnly, upload),
    deleting: members(deleting, deleting, deleting, writeOnly, upload),
  },
  'write-files': {
    running: members(null, null, readOnly, null, upload),
    suspended: members(null, null, readOnly, null, upload),
    banned: members(null, banned, readOnly, banned, upload),
    deleting: members(deleting, deleting, readOnly, deleting, upload),
  },
  upload: {
    running: members(null, null, readOnly, null, null),
    suspended: members(unpaid, unpaid, readOnly, unpaid, unpaid),
    banned: members(banned, banned, readOnly, banned, banned),
    deleting: members(deleting, deleting, readOnly, deleting, deleting),
  },
  'view-uploads': {
    running: members(null, null, readOnly, null, null),
    suspended: members(null, null, readOnly, null, null),
    banned: members(banned, banned, readOnly, banned, banned),
    deleting: members(deleting, deleting, readOnly, deleting, deleting),
  },
};

describe.each(Object.entries(DECISIONS))('%s', (action, states) => {
  test.each(Object.entries(states))('of a bucket that is %s', (status, expected) => {
    const bucket = { id: 'bucket', user_id: 'owner', status: status as BucketStatus };
    const decided = NAMES.map((name) => [name, can(PRINCIPALS[name], action as 'upload', bucket)]);
    expect(Object.fromEntries(decided)).toEqual(expected);
  });
});

test('only the admin administers', () => {
  const decided = NAMES.map((name) => can(PRINCIPALS[name], 'administer', null));
  expect(decided).toEqual([
    ...(['forbidden', 'forbidden', null] as const),
    ...Array(NAMES.length - 3).fill('unauthenticated'),
  ]);
});

test('only a session of the user receives their events', () => {
  const decided = NAMES.map((name) => can(PRINCIPALS[name], 'receive-events', { userId: 'owner' }));
  expect(decided).toEqual([
    ...([null, 'forbidden', 'forbidden'] as const),
    ...Array(NAMES.length - 3).fill('unauthenticated'),
  ]);
});

test.each([
  ['user:owner', 'owner'],
  ['key', 'API key'],
  ['key:writer', 'write-only key'],
  ['s3-key:owner-read', 'read-only S3 key'],
  ['token:token', 'write token'],
] as const)('an upload of %p is continued by the %s alone, in its bucket', (uploader, own) => {
  const upload = { bucket_id: 'bucket', uploader };
  const allowed = NAMES.filter(
    (name) =>
      can(PRINCIPALS[name], 'continue-upload', { upload, bucket: { id: 'bucket' } }) === null,
  );
  // A key or a token of another bucket is refused by its bucket before.
  const isAlike = (name: Name) => name.startsWith(own);
  expect(allowed).toEqual(NAMES.filter(isAlike));
  expect(can(PRINCIPALS[own], 'continue-upload', { upload, bucket: { id: 'other' } })).toBe(hidden);
});

const read = (change: Partial<TokenClaims>): Principal => ({
  kind: 'read-token',
  claims: { ...CLAIMS, ...change },
});

/** Who may ask for a private file, and why each is refused in a bucket that is delivered. */
const READERS: [string, Principal, Refusal | null][] = [
  ['nobody', NOBODY, 'token-missing'],
  ['a forged token or one of another scope', { kind: 'invalid-token' }, 'token-invalid'],
  ['the token of a list or of the bucket', read({}), null],
  ['a token without an expiry', read({ expiresAt: Number.POSITIVE_INFINITY }), null],
  ['the token of the file', read({ fileId: 'file' }), null],
  ['the token of another file', read({ fileId: 'other' }), 'token-invalid'],
  ['the token of its folder', read({ prefix: 'photos/2026/' }), null],
  ['the token of a folder above', read({ prefix: 'photos/' }), null],
  ['the token of a folder below', read({ prefix: 'photos/2026/may/' }), 'token-invalid'],
  ['the token of another folder', read({ prefix: 'photos/2025/' }), 'token-invalid'],
  ['the token of a folder of the same end', read({ prefix: '2026/' }), 'token-invalid'],
  ['the token of a folder in other case', read({ prefix: 'Photos/' }), 'token-invalid'],
  [
    'the token of the file, but of another folder',
    read({ fileId: 'file', prefix: 'other/' }),
    'token-invalid',
  ],
  [
    'the token of its folder, but of another file',
    read({ fileId: 'other', prefix: 'photos/' }),
    'token-invalid',
  ],
  ['the token of another bucket', read({ bucketId: 'other' }), 'token-invalid'],
  ['a token in its last millisecond', read({ expiresAt: NOW + 1 }), null],
  ['a token that expires now', read({ expiresAt: NOW }), 'token-invalid'],
  ['a token that a new key revoked', read({ keyVersion: 6 }), 'token-invalid'],
  ['the token of a named key', read({ keyId: 'named' }), null],
  ['the token of a named key that was deleted', read({ keyId: 'deleted' }), 'token-invalid'],
  ['a token that its bucket lists', read({ id: 'listed', isListed: true }), null],
  ['a listed token that was revoked', read({ id: 'revoked', isListed: true }), 'token-invalid'],
  ['a token that was never listed', read({ id: 'revoked' }), null],
  ['a session', PRINCIPALS.owner, 'token-invalid'],
  ['an API key', PRINCIPALS['API key'], 'token-invalid'],
  ['a write token', PRINCIPALS['write token'], 'token-invalid'],
];

const KEYS = {
  id: 'bucket',
  key_version: 7,
  key_ids: 'another,named',
  token_ids: 'another,listed',
  ignores_public: 0,
};

/** What a bucket may be; its refusal comes before anything that the file or the token says. */
const BUCKETS: [string, FileResource['bucket'], Refusal | null][] = (
  [
    ['that is running', 'running', null, null],
    ['that is banned, or whose owner is', 'banned', null, 'hidden'],
    ['that is being deleted', 'deleting', null, 'hidden'],
    ['that is suspended, but still delivered', 'suspended', NOW + 1, null],
    ['that is suspended, and not delivered from now on', 'suspended', NOW, 'suspended'],
    ['that is suspended, and not delivered any more', 'suspended', 0, 'suspended'],
    ['that is banned while it is suspended', 'banned', 0, 'hidden'],
    ['that has reached its bandwidth limit', 'running', null, 'limit-reached', NOW + 1],
    ['whose bandwidth limit ends now', 'running', null, null, NOW],
    ['that is banned at its limit', 'banned', null, 'hidden', NOW + 1],
  ] as const
).map(([name, status, delivery_until, expected, delivery_stopped_until = null]) => [
  name,
  { ...KEYS, status, delivery_until, delivery_stopped_until },
  expected,
]);

describe.each(BUCKETS)('in a bucket %s, a file is opened', (_, bucket, refusal) => {
  test.each(READERS)('by %s', (_reader, principal, tokenRefusal) => {
    const decide = (access: 'public' | 'private', expires_at: number | null) => {
      const file = { id: 'file', path: 'photos/2026/a.jpg', access, expires_at };
      return can(principal, 'open-file', { file, bucket, now: NOW });
    };
    for (const expiresAt of [null, NOW + 1]) {
      expect([decide('public', expiresAt), decide('private', expiresAt)]).toEqual([
        refusal,
        refusal ?? tokenRefusal,
      ]);
    }
    const expired = refusal ?? 'hidden';
    expect([decide('public', NOW), decide('private', NOW)]).toEqual([expired, expired]);
  });
});

test('a bucket that ignores public access delivers public files as private ones', () => {
  const bucket = {
    ...{ ...KEYS, ignores_public: 1, status: 'running' as const },
    ...{ delivery_until: null, delivery_stopped_until: null },
  };
  const file = {
    id: 'file',
    path: 'photos/2026/a.jpg',
    access: 'public',
    expires_at: null,
  } as const;
  for (const [reader, principal, refusal] of READERS) {
    expect([reader, can(principal, 'open-file', { file, bucket, now: NOW })]).toEqual([
      reader,
      refusal,
    ]);
  }
});

test('everybody lists a bucket whose list is public, unless it is not delivered or ignores public access', () => {
  for (const [name, delivered, refusal] of BUCKETS) {
    const list = (lists_public: number, ignores_public: number) =>
      can(NOBODY, 'list-public', {
        bucket: { ...delivered, lists_public, ignores_public },
        now: NOW,
      });
    expect([name, list(1, 0), list(0, 0), list(1, 1), list(0, 1)]).toEqual([
      name,
      refusal,
      ...Array<Refusal>(3).fill(refusal ?? 'hidden'),
    ]);
  }
});
