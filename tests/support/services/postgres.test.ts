import { expect, test } from 'bun:test';
import { SQL } from 'bun';
import { startPostgres } from './postgres.ts';

const postgres = await startPostgres();

test.skipIf(!postgres)('one PostgreSQL serves the whole test process', async () => {
  expect(await startPostgres()).toBe(postgres);
  await using sql = new SQL(postgres?.url ?? '');
  const [row] =
    await sql`select lower('ÄÖ') as folded, current_setting('server_encoding') as encoding`;
  expect(row).toEqual({ folded: 'äö', encoding: 'UTF8' });
});
