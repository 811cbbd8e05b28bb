import { expect, test } from 'bun:test';
import { describeEachEngine, type OpenDatabase } from '../../../../tests/support/server/engines.ts';
import type { Tx } from '../../../platform/db/port.ts';
import { startAccountDeletion } from '../profile/account-deletion.ts';
import { AccountBans } from '../service.ts';
import type { UserRow } from '../tables.ts';
import { ADMIN, EMAIL, MINE, openUser, type World } from '../testing/accounts.ts';

const BEING_DELETED = { status: 409, text: 'This account is being deleted.' };

await describeEachEngine('two actions on one account at once', (openDatabase: OpenDatabase) => {
  /** Does the one in a transaction that is not committed until the other waits for it. */
  async function during<Result>(
    { database }: World,
    first: (tx: Tx) => Promise<unknown>,
    second: () => Promise<Result>,
  ): Promise<Result> {
    const [, outcome] = await database.overlap(() => database.transaction(first), second);
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  }
  const deleting = ({ session, queue, time }: World) => {
    const ownedResources = {
      totals: async () => ({ buckets: 0, files: 0, bytes: 0 }),
      paidCredit: async () => 0,
      bucketName: async () => 'Pictures',
      stop: async () => {},
      close: async () => {},
      refresh: async () => {},
      wipe: async () => {},
    };
    const context = { clock: () => time.now, ownedResources, queue };
    return (tx: Tx) => startAccountDeletion(context, tx, session.userId, 'system');
  };
  const setStatus = ({ session }: World, status: UserRow['status']) => {
    return (tx: Tx) =>
      tx.updateTable('users').set({ status }).where('id', '=', session.userId).execute();
  };
  const statusOf = async ({ database, session }: World) => {
    const users = database.db.selectFrom('users').select('status');
    return (await users.where('id', '=', session.userId).executeTakeFirstOrThrow()).status;
  };
  const deletions = async ({ database }: World) => {
    const jobs = database.db.selectFrom('jobs').select('id').where('kind', '=', 'delete-account');
    return (await jobs.execute()).length;
  };

  test('a ban, or its end, never takes the place of a deletion that has begun', async () => {
    const bans: ((world: World) => Promise<unknown>)[] = [
      (world) => world.accounts.moderation.banUser(ADMIN, world.session.userId),
      ({ database, time, session }) => {
        const bans = new AccountBans({
          database,
          clock: () => time.now,
          isAdmin: () => false,
          publishChange: async () => {},
        });
        return bans.ban(session.userId, 'system');
      },
    ];
    for (const act of bans) {
      const world = await openUser(openDatabase);
      await expect(during(world, deleting(world), () => act(world))).rejects.toMatchObject(
        BEING_DELETED,
      );
      expect(await statusOf(world)).toBe('deleting');
    }
    const world = await openUser(openDatabase);
    await world.accounts.moderation.banUser(ADMIN, world.session.userId);
    const unbanning = during(world, deleting(world), () =>
      world.accounts.moderation.unbanUser(ADMIN, world.session.userId),
    );
    await expect(unbanning).rejects.toMatchObject(BEING_DELETED);
    expect(await statusOf(world)).toBe('deleting');
  });

  test('a deletion begins once, whoever asks for it', async () => {
    const world = await openUser(openDatabase);
    const concurrent = during(world, deleting(world), () =>
      world.accounts.moderation.deleteUser(ADMIN, world.session.userId, EMAIL),
    );
    await expect(concurrent).rejects.toMatchObject(BEING_DELETED);
    expect(await deletions(world)).toBe(1);
  });

  test('an owner’s deletion does nothing where a ban came first', async () => {
    const world = await openUser(openDatabase);
    const { accounts, session, lastCode } = world;
    await accounts.profile.requestCode(session, 'delete-account', MINE);
    const code = lastCode();
    const concurrent = during(world, setStatus(world, 'banned'), () =>
      accounts.profile.deleteAccount(session, code, MINE),
    );
    await expect(concurrent).rejects.toThrow();
    expect([await statusOf(world), await deletions(world)]).toEqual(['banned', 0]);
  });

  test('of two bans one is told of the other', async () => {
    const world = await openUser(openDatabase);
    const ban = () => world.accounts.moderation.banUser(ADMIN, world.session.userId);
    const outcomes = await Promise.allSettled([ban(), ban()]);
    const [rejected] = outcomes.filter((end) => end.status === 'rejected');
    expect(rejected?.reason).toMatchObject({
      status: 409,
      text: 'This account is already banned.',
    });
  });
});
