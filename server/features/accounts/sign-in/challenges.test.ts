import { expect, test } from 'bun:test';
import { describeOnSqlite } from '../../../../tests/support/server/engines.ts';
import { CODE_TTL_MS, MINUTE } from '../../../contract/limits.ts';
import { Challenges, isDecoy, type NewChallenge } from './challenges.ts';

const NOW = Date.UTC(2026, 0, 1);
const CODE = 123_456;
const OWNER = { purpose: 'delete-bucket', emailKey: 'ada', browser: 'b', bucketId: 'x' } as const;
const REQUEST: NewChallenge = { ...OWNER, email: 'Ada', expiresAt: NOW + 60 * MINUTE };

describeOnSqlite('a code', (openDatabase) => {
  const challenges = new Challenges(new Uint8Array(32), () => CODE);
  const opened = async (request: NewChallenge = REQUEST) => {
    const database = await openDatabase();
    const { challenge } = await database.transaction((tx) => challenges.open(tx, request, NOW));
    const verify = (code: number, owner: Parameters<Challenges['verify']>[1], now: number) =>
      database.transaction((tx) => challenges.verify(tx, owner, code, now));
    return { challenge, verify };
  };

  test.each([
    ['purpose', { purpose: 'delete-account' }],
    ['address', { emailKey: 'eve' }],
    ['browser', { browser: 'c' }],
    ['bucket', { bucketId: 'y' }],
    ['kind of challenge, without a bucket', { bucketId: undefined }],
  ] as const)('is stored as another value for another %s', async (_, other) => {
    const { challenge } = await opened();
    const { challenge: another } = await opened({ ...REQUEST, ...other } as NewChallenge);
    expect(another.code_mac).not.toBe(challenge.code_mac);
    expect((await opened()).challenge.code_mac).toBe(challenge.code_mac);
  });

  test.each([
    ['the right one', CODE, {}, 0, true],
    ['the right one in its last millisecond', CODE, {}, CODE_TTL_MS - 1, true],
    ['the right one at its end', CODE, {}, CODE_TTL_MS, false],
    ['a wrong one', CODE + 1, {}, 0, false],
    ['of another purpose', CODE, { purpose: 'delete-account' }, 0, false],
    ['of another browser', CODE, { browser: 'c' }, 0, false],
    ['of another bucket', CODE, { bucketId: 'y' }, 0, false],
  ] as const)('%s: opens its challenge once, if at all', async (_, code, other, after, opens) => {
    const { verify } = await opened();
    const owner = { ...OWNER, ...other };
    expect((await verify(code, owner, NOW + after)) !== null).toBe(opens);
    expect(await verify(CODE, OWNER, NOW + CODE_TTL_MS)).toBeNull();
    if (opens) expect(await verify(CODE, OWNER, NOW)).toBeNull();
  });

  test('opens no decoy', async () => {
    const { challenge, verify } = await opened({ ...REQUEST, isDecoy: true });
    expect(isDecoy(challenge)).toBe(true);
    expect(await verify(CODE, OWNER, NOW)).toBeNull();
  });
});
