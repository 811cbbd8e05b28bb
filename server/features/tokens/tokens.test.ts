import { describe, expect, test } from 'bun:test';
import { HOUR, SECOND } from '../../contract/limits.ts';
import { deriveKeys } from '../../platform/secrets/secrets.ts';
import { areValidClaims, keyPrincipal, ownerPrincipal } from '../access/principal.ts';
import { type Scope, Tokens } from './service.ts';

const NOW = Date.UTC(2026, 0, 1);
const NOW_SECONDS = NOW / SECOND;
const BUCKET = { id: 'bucket', key_version: 7, key_ids: 'other,named', token_ids: null };
const OWNER = { bucket: BUCKET, principal: ownerPrincipal('owner') };
const time = { now: NOW };
const keys = deriveKeys('a secret of more than thirty-two characters');
const tokensOf = (use: Parameters<typeof keys.all>[0]) =>
  new Tokens({ keys: keys.all(use), clock: () => time.now });
const tokens = tokensOf('bucket-token');

const mint = (terms: { scope?: Scope; expiresAt?: number; fileId?: string; prefix?: string }) =>
  tokens.mint(OWNER, { scope: 'read', expiresAt: 0, ...terms });

describe('a token', () => {
  test.each([
    ['read', 'read', true],
    ['read', 'write', false],
    ['write', 'write', true],
    ['write', 'read', false],
  ] as const)('to %s granted for %s: %p', async (scope, requested, isGranted) => {
    const grant = await tokens.grant(await mint({ scope }), requested, BUCKET);
    expect(grant !== null).toBe(isGranted);
  });

  test.each([
    ['of another bucket', { ...BUCKET, id: 'other' }],
    ['whose key was replaced since', { ...BUCKET, key_version: 8 }],
  ])('opens no bucket %s, not even from the cache', async (_, bucket) => {
    const token = await mint({});
    expect(await tokens.grant(token, 'read', BUCKET)).not.toBeNull();
    expect(await tokens.grant(token, 'read', bucket)).toBeNull();
  });

  test('of a named key is revoked with this key alone', async () => {
    const principal = keyPrincipal('bucket', { id: 'named', scope: 'read', expires_at: null });
    const token = await tokens.mint({ bucket: BUCKET, principal }, { scope: 'read', expiresAt: 0 });
    expect(await tokens.grant(token, 'read', BUCKET)).toMatchObject({ keyId: 'named' });
    expect(await tokens.grant(token, 'read', { ...BUCKET, key_ids: 'named' })).not.toBeNull();
    for (const key_ids of ['other', null]) {
      expect(await tokens.grant(token, 'read', { ...BUCKET, key_ids })).toBeNull();
    }
    const ofOwner = await tokens.grant(await mint({}), 'read', { ...BUCKET, key_ids: null });
    expect(ofOwner).toMatchObject({ keyId: null });
  });

  test('that is listed is valid while its bucket lists it, and its other checks stay', async () => {
    const { jwt, id } = await tokens.mintListed(
      OWNER,
      { scope: 'read', expiresAt: 0 },
      async () => {},
    );
    const granted = async (of: { token_ids: string | null; key_version?: number }) =>
      (await tokens.grant(jwt, 'read', { ...BUCKET, ...of })) !== null;
    expect(await granted({ token_ids: `another,${id}` })).toBe(true);
    expect(await granted({ token_ids: 'another' })).toBe(false);
    expect(await granted({ token_ids: null })).toBe(false);
    expect(await granted({ token_ids: id, key_version: 8 })).toBe(false);
    const unlisted = await tokens.grant(await mint({}), 'read', { ...BUCKET, token_ids: id });
    expect(unlisted).toMatchObject({ isListed: false });
  });

  test('is listed with its id and the expiry of the key that creates it, and not where it is refused', async () => {
    const key = { id: 'named', scope: 'read', expires_at: NOW + 2 * HOUR } as const;
    const minter = { bucket: BUCKET, principal: keyPrincipal('bucket', key) };
    const listed: object[] = [];
    const list = async (token: object) => void listed.push(token);
    const { jwt, id } = await tokens.mintListed(minter, { scope: 'read', expiresAt: 0 }, list);
    expect(listed).toEqual([{ id, expires_at: NOW + 2 * HOUR }]);
    expect(await tokens.verify(jwt, 'read')).toMatchObject({ id, isListed: true });
    const refused = tokens.mintListed(OWNER, { scope: 'write', expiresAt: 0, prefix: 'a/' }, list);
    await expect(refused).rejects.toThrow('for the whole bucket');
    expect(listed).toHaveLength(1);
  });

  test.each([
    ['none', 0, NOW + 2 * HOUR],
    ['a later expiry', NOW_SECONDS + 3 * (HOUR / SECOND), NOW + 2 * HOUR],
    ['an earlier expiry', NOW_SECONDS + 1, NOW + SECOND],
  ])('of a key that expires expires with it at the latest: %s', async (_, expiresAt, expected) => {
    const key = { id: 'named', scope: 'read', expires_at: NOW + 2 * HOUR } as const;
    const minter = { bucket: BUCKET, principal: keyPrincipal('bucket', key) };
    const token = await tokens.mint(minter, { scope: 'read', expiresAt });
    expect((await tokens.verify(token, 'read'))?.expiresAt).toBe(expected);
  });

  test('that another key has signed grants nothing', async () => {
    const other = await tokensOf('session-token').mint(OWNER, { scope: 'read', expiresAt: 0 });
    expect(await tokens.verify(other, 'read')).toBeNull();
  });

  test.each([
    ['an expired one', { expiresAt: NOW }],
    ['one that expires in a millisecond', { expiresAt: NOW + 1 }],
  ])('is judged at the moment of its use: %s', (_, { expiresAt }) => {
    const grant = {
      id: 'id',
      bucketId: 'bucket',
      fileId: null,
      prefix: null,
      keyVersion: 7,
      keyId: null,
      isListed: false,
      expiresAt,
    };
    expect(areValidClaims(grant, BUCKET, NOW)).toBe(expiresAt > NOW);
  });

  test('expires also where it was verified before', async () => {
    const token = await mint({ expiresAt: NOW_SECONDS + 1 });
    expect(await tokens.grant(token, 'read', BUCKET)).not.toBeNull();
    time.now = NOW + SECOND;
    expect(await tokens.grant(token, 'read', BUCKET)).toBeNull();
    time.now = NOW;
  });
});

describe('minting', () => {
  test('a token of a folder grants this folder, also from the cache', async () => {
    const token = await mint({ prefix: 'photos/2026/' });
    expect(await tokens.verify(token, 'read')).toMatchObject({ prefix: 'photos/2026/' });
    expect(tokens.getVerified(token, 'read')).toMatchObject({ prefix: 'photos/2026/' });
    expect(await tokens.verify(await mint({}), 'read')).toMatchObject({ prefix: null });
  });

  test.each([
    ['a write token of one file', { scope: 'write', fileId: 'file' }, 'for the whole bucket'],
    ['a write token of a folder', { scope: 'write', prefix: 'a/' }, 'for the whole bucket'],
    ['an expiry of now', { expiresAt: NOW_SECONDS }, 'in the future'],
    ['an expiry in milliseconds', { expiresAt: NOW + HOUR }, 'in epoch seconds'],
  ] as const)('refuses %s', async (_, terms, message) => {
    await expect(mint(terms)).rejects.toThrow(message);
  });

  test.each([
    ['without an expiry', () => mint({}), null, Number.POSITIVE_INFINITY],
    ['of the next second', () => mint({ expiresAt: NOW_SECONDS + 1 }), null, NOW + SECOND],
    ['of a file', () => mint({ fileId: 'file' }), 'file', Number.POSITIVE_INFINITY],
    ['of a list', () => tokens.mintForList(OWNER), null, NOW + HOUR],
    ['of the details of a file', () => tokens.mintForFile(OWNER, 'file'), 'file', NOW + HOUR],
  ] as const)('a token %s grants what was asked for', async (_, make, fileId, expiresAt) => {
    expect(await tokens.grant(await make(), 'read', BUCKET)).toMatchObject({
      bucketId: 'bucket',
      keyVersion: 7,
      fileId,
      expiresAt,
    });
  });
});
