import { afterAll, expect, test } from 'bun:test';
import { balanceOf } from '../../server/features/billing/service.ts';
import { signUp, startServer } from '../support/server.ts';

const server = await startServer({ SIGNUP_CREDIT: '2.5' });
afterAll(() => server.stop());

test('a new account is given its credit, once', async () => {
  const user = await signUp(server);
  const { db } = server.services.database;
  expect(await balanceOf(db, user.userId)).toBe(2_500_000);
  const entries = await db.selectFrom('ledger_entries').selectAll().execute();
  expect(entries.map(({ kind, amount, ref }) => [kind, amount, ref])).toEqual([
    ['credit', 2_500_000, `signup:${user.userId}`],
  ]);
});
