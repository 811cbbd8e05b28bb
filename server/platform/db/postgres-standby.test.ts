import { expect, test } from 'bun:test';
import { sql } from 'kysely';
import { freshDatabase } from '../../../tests/support/server/engines.ts';
import { startPostgres } from '../../../tests/support/services/postgres.ts';
import { isUnavailable } from '../../errors.ts';
import { openPostgres } from './postgres.ts';

const postgres = await startPostgres();

test.skipIf(!postgres)(
  'PostgreSQL that answers and takes no change, as a standby does, is not well but for who only reads',
  async () => {
    const url = await freshDatabase(postgres?.url ?? '');
    const before = openPostgres(url);
    await before.check();
    const name = sql.ref(new URL(url).pathname.slice(1));
    await sql`alter database ${name} set default_transaction_read_only = on`.execute(before.db);
    await before.close();

    const standby = openPostgres(url);
    await expect(standby.check()).rejects.toThrow('read-only');
    await standby.close();
    const reading = openPostgres(url, { readOnly: true });
    await reading.check();
    await reading.close();
  },
);

test.skipIf(!postgres)(
  'a write to PostgreSQL that has become a standby is to be tried again, on another connection',
  async () => {
    const url = await freshDatabase(postgres?.url ?? '');
    const admin = openPostgres(url);
    const name = sql.ref(new URL(url).pathname.slice(1));
    const readOnly = (value: 'on' | 'off') =>
      sql`alter database ${name} set default_transaction_read_only = ${sql.raw(value)}`.execute(
        admin.db,
      );
    await sql`create table counts (n int not null)`.execute(admin.db);
    await readOnly('on');
    const database = openPostgres(url, { poolSize: 1 });
    const write = () => sql`insert into counts values (1)`.execute(database.db);
    const inTransaction = () =>
      database.transaction((tx) => sql`insert into counts values (1)`.execute(tx));
    for (const attempt of [write, inTransaction]) {
      const error = await attempt().catch((thrown) => thrown);
      expect(error).toMatchObject({ status: 503, code: 'unavailable' });
      expect(isUnavailable(error)).toBe(true);
    }
    await readOnly('off');
    await write();
    await inTransaction();
    const { rows } = await sql`select n from counts`.execute(database.db);
    expect(rows).toHaveLength(2);
    await database.close();
    await admin.close();
  },
);
