import { expect, test } from 'bun:test';
import { sql } from 'kysely';
import { freshDatabase } from '../../../tests/support/server/engines.ts';
import { startPostgres } from '../../../tests/support/services/postgres.ts';
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
