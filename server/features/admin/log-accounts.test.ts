import { expect, test } from 'bun:test';
import { describeEachEngine } from '../../../tests/support/server/engines.ts';
import { DAY } from '../../contract/limits.ts';
import { record } from '../../platform/audit/record.ts';
import { insertFormerAddress, trimAudit } from '../../platform/audit/store.ts';
import type { Database } from '../../platform/db/port.ts';
import { listLogs } from './lists-store.ts';
import { accountsOf } from './log-accounts.ts';

const NOW = Date.parse('2026-03-10T12:00:00Z');

await describeEachEngine('the accounts of the log', (open) => {
  /** Opens a database with the user ana, who was ann, then anna, each for ten days, until now. */
  async function opened() {
    const database = await open();
    const { db } = database;
    const user = { id: 'u1', email: 'ana@x.example', email_key: 'ana@x.example', max_bytes: null };
    const status = 'active' as const;
    await db
      .insertInto('users')
      .values({ ...user, password_hash: '', status, created_at: NOW - 30 * DAY })
      .execute();
    await insertFormerAddress(db, { user_id: 'u1', email: 'ann@x.example', until: NOW - 20 * DAY });
    await insertFormerAddress(db, {
      user_id: 'u1',
      email: 'anna@x.example',
      until: NOW - 10 * DAY,
    });
    return database;
  }
  const enter = (
    { db }: Database,
    at: number,
    change: { actor?: { keyId: string } | { userId: string }; subject?: string; details?: object },
  ) =>
    record(db, at, {
      ...{ section: 'users', action: 'x', message: 'Done.', actor: 'system' },
      ...(change as object),
    });
  const named = async (database: Database) => {
    const { rows } = await listLogs(database, {});
    return rows.map(await accountsOf(database.db, rows));
  };

  test('have the address of then, also where the entry is about what they own', async () => {
    const database = await opened();
    await enter(database, NOW - 25 * DAY, { actor: { userId: 'u1' }, subject: 'u1' });
    await enter(database, NOW - 15 * DAY, { subject: 'b1', details: { owner: 'u1' } });
    await enter(database, NOW - 10 * DAY, { actor: { userId: 'u1' }, subject: 'u1' });
    await enter(database, NOW, {
      actor: { keyId: 'k1' },
      subject: 'f1',
      details: { bucket: 'gone' },
    });
    expect(await named(database)).toEqual([
      { by: null, about: null },
      { by: 'ana@x.example', about: 'ana@x.example' },
      { by: null, about: 'anna@x.example' },
      { by: 'ann@x.example', about: 'ann@x.example' },
    ]);
  });

  test('are not named any more when they are deleted, and no address is left', async () => {
    const database = await opened();
    const { db } = database;
    await enter(database, NOW - 25 * DAY, { actor: { userId: 'u1' }, subject: 'u1' });
    await db.deleteFrom('users').execute();
    expect(await named(database)).toEqual([{ by: null, about: null }]);
    expect(await db.selectFrom('audit_addresses').selectAll().execute()).toEqual([]);
  });

  test('lose the addresses that are older than every entry', async () => {
    const database = await opened();
    await trimAudit(database, NOW - 15 * DAY);
    const left = await database.db.selectFrom('audit_addresses').select('email').execute();
    expect(left).toEqual([{ email: 'anna@x.example' }]);
  });
});
