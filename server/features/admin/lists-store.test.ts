import { expect, test } from 'bun:test';
import { sql } from 'kysely';
import { describeEachEngine } from '../../../tests/support/server/engines.ts';
import { DAY } from '../../contract/limits.ts';
import { record } from '../../platform/audit/record.ts';
import { listLogs } from './lists-store.ts';
import { exportLogs } from './log-export.ts';

const NOW = Date.parse('2026-03-10T12:00:00Z');

await describeEachEngine('the list of the log', (open) => {
  const filled = async (count: number) => {
    const database = await open();
    await database.transaction(async (tx) => {
      for (let n = 0; n < count; n += 1) {
        await record(tx, NOW + n * (DAY / 4), {
          section: n % 2 ? 'files' : 'users',
          action: 'test.done',
          message: `Entry ${n} of 100% = done`,
          actor: 'system',
          subject: `s${n % 3}`,
        });
      }
    });
    return database;
  };

  test('is narrowed by inclusive days in UTC or another zone, section, subject and words', async () => {
    const database = await filled(12);
    const messages = async (filters: Parameters<typeof listLogs>[1]) =>
      (await listLogs(database, filters)).rows.map(({ message }) => Number(message.split(' ')[1]));
    expect(await messages({})).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
    expect(await messages({ from: '2026-03-11', to: '2026-03-11' })).toEqual([5, 4, 3, 2]);
    expect(await messages({ to: '2026-03-10' })).toEqual([1, 0]);
    expect(await messages({ to: '2026-03-10', tz: 'America/Los_Angeles' })).toEqual([3, 2, 1, 0]);
    expect(await messages({ section: 'files', from: '2026-03-12' })).toEqual([11, 9, 7]);
    expect(await messages({ subject: 's1' })).toEqual([10, 7, 4, 1]);
    expect(await messages({ text: '100%&ENTRY 7' })).toEqual([7]);
    expect(await messages({ text: '100_' })).toEqual([]);
  });

  test('leaves out what is hidden, in pages as long as without', async () => {
    const database = await filled(9);
    const { db } = database;
    const all = (await listLogs(database, {})).rows;
    for (const { id } of all.slice(0, 4)) {
      await db.insertInto('audit_hidden').values({ log_id: id, hidden_at: NOW }).execute();
    }
    expect((await listLogs(database, { limit: 3 })).rows.map(({ id }) => id)).toEqual(
      all.slice(4, 8).map(({ id }) => id),
    );
  });

  test('is exported in batches, each entry once, with no formula among the cells', async () => {
    const database = await filled(1203);
    await record(database.db, NOW + 400 * DAY, {
      section: 'system',
      action: 'x',
      message: '=1+1, "quoted"',
      actor: { userId: 'u1' },
    });
    const lines = (await new Response(exportLogs(database, {}, 'csv')).text())
      .trimEnd()
      .split('\r\n');
    expect(lines).toHaveLength(1205);
    expect(lines[1]).toMatch(
      /^[0-9a-z]{26},2027-04-14T12:00:00\.000Z,system,x,"'=1\+1, ""quoted""",user,u1,,\{\}$/,
    );
    expect(new Set(lines).size).toBe(1205);
    expect(() => exportLogs(database, { tz: 'Mars/Olympus' }, 'csv')).toThrow('IANA time zone');
    const json = await new Response(exportLogs(database, { section: 'files' }, 'jsonl')).text();
    const entries = json
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(entries).toHaveLength(601);
    expect(entries[0]).toMatchObject({ section: 'files', actor: 'system', details: {} });
  });

  test('reads an index, and never all of it, for a section or a subject', async () => {
    const database = await filled(3);
    if (database.engine !== 'sqlite') return;
    const plan = async (where: string) => {
      const { rows } = await sql
        .raw<{ detail: string }>(
          `explain query plan select * from audit_log where ${where} order by id desc limit 50`,
        )
        .execute(database.db);
      return rows.map(({ detail }) => detail).join();
    };
    expect(await plan(`section = 'users'`)).toContain('audit_log_section');
    expect(await plan(`subject_id = 's1'`)).toContain('audit_log_subject');
  });
});
