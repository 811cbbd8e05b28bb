import { expect, test } from 'bun:test';
import { sql } from 'kysely';
import { describeEachEngine } from '../../../tests/support/server/engines.ts';
import { DAY } from '../../contract/limits.ts';
import type { Database } from '../db/port.ts';
import { type AuditEntry, createSystemAudit, quoted, record } from './record.ts';
import { trimAudit } from './store.ts';

const NOW = Date.parse('2026-03-10T12:00:00Z');
const entry = (change: Partial<AuditEntry> = {}): AuditEntry => ({
  section: 'buckets',
  action: 'bucket.banned',
  message: 'Bucket “Pictures” banned.',
  actor: { userId: 'u1' },
  subject: 'b1',
  ...change,
});

await describeEachEngine('the audit log', (open) => {
  const rows = ({ db }: Database) => db.selectFrom('audit_log').selectAll().orderBy('id').execute();

  test('keeps who did what to what, and when', async () => {
    const database = await open();
    await record(database.db, NOW, entry({ details: { owner: 'u2', bytes: 3 } }));
    await record(database.db, NOW, entry({ actor: 'system', subject: null }));
    await record(database.db, NOW, entry({ actor: { keyId: 'k1' } }));
    const [first, second, third] = await rows(database);
    expect(first).toMatchObject({
      section: 'buckets',
      action: 'bucket.banned',
      message: 'Bucket “Pictures” banned.',
      message_key: 'bucket “pictures” banned.',
      actor: 'user',
      actor_id: 'u1',
      subject_id: 'b1',
      details: '{"owner":"u2","bytes":3}',
      created_at: NOW,
    });
    expect(second).toMatchObject({ actor: 'system', actor_id: null, subject_id: null });
    expect(third).toMatchObject({ actor: 'key', actor_id: 'k1' });
  });

  test('keeps nothing of an act that is rolled back', async () => {
    const database = await open();
    const act = database.transaction(async (tx) => {
      await record(tx, NOW, entry());
      throw new Error('no');
    });
    await expect(act).rejects.toThrow('no');
    expect(await rows(database)).toEqual([]);
  });

  test('holds every message to one line of 300 letters', async () => {
    const database = await open();
    await record(database.db, NOW, entry({ message: `a\r\n\u0000b ${'x'.repeat(400)}` }));
    const [row] = await rows(database);
    expect(row?.message.slice(0, 5)).toBe('a b x');
    expect([...(row?.message ?? '')]).toHaveLength(300);
    expect(quoted('y'.repeat(60))).toBe(`“${'y'.repeat(39)}…”`);
  });

  const tampering = {
    'a change': `update audit_log set message = 'nothing'`,
    'a change of who it was': `update audit_log set actor_id = 'u9'`,
    'a removal': `delete from audit_log`,
  };
  for (const [what, statement] of Object.entries(tampering)) {
    test(`the database itself refuses ${what}`, async () => {
      const database = await open();
      await record(database.db, NOW, entry());
      const before = await rows(database);
      await expect(sql.raw(statement).execute(database.db)).rejects.toThrow(/append-only/);
      expect(await rows(database)).toEqual(before);
    });
  }

  test('the database itself refuses to replace or empty it', async () => {
    const database = await open();
    await record(database.db, NOW, entry());
    const [row] = await rows(database);
    const statement =
      database.engine === 'sqlite'
        ? `insert or replace into audit_log values ('${row?.id}', 'users', 'x', 'x', 'x', 'user', null, null, '{}', 1)`
        : 'truncate audit_log cascade';
    await expect(sql.raw(statement).execute(database.db)).rejects.toThrow(/append-only/);
    expect(await rows(database)).toHaveLength(1);
  });

  test('forgets what is older than it has to be kept, however many, and nothing younger', async () => {
    const database = await open();
    await database.transaction(async (tx) => {
      for (let n = 0; n < 2100; n += 1) await record(tx, NOW - 10 * DAY + n, entry());
      await record(tx, NOW - 5 * DAY, entry({ subject: 'kept' }));
    });
    const oldest = (await rows(database))[0];
    await database.db
      .insertInto('audit_hidden')
      .values({ log_id: oldest?.id ?? '', hidden_at: NOW })
      .execute();
    await trimAudit(database, NOW - 5 * DAY);
    expect((await rows(database)).map((row) => row.subject_id)).toEqual(['kept']);
    await trimAudit(database, NOW - 20 * DAY);
    await expect(sql`delete from audit_log`.execute(database.db)).rejects.toThrow(/append-only/);
  });

  test('says once in an hour what fails again and again', async () => {
    const database = await open();
    const audit = createSystemAudit({
      database,
      clock: () => NOW,
      auditRetentionDays: 1,
      onError: () => {},
    });
    await audit.started('1.2.3', ['0001_house', '0012_admin']);
    for (let n = 0; n < 3; n += 1) await audit.failed('Housekeeping', new Error('no room'));
    expect((await rows(database)).map((row) => row.message)).toEqual([
      'Database migrated to 0012_admin.',
      'Wharf 1.2.3 started.',
      'Housekeeping failed: Error: no room',
    ]);
  });
});
