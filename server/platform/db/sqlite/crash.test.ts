import { expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { openSqlite } from './open.ts';

test('kill -9 leaves each of the joined transactions whole or absent, and every acknowledged one', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'wharf-crash-'));
  const path = join(folder, 'wharf.db');
  const program = join(import.meta.dir, 'testing/crash-writer.ts');
  for (const wanted of [1, 40, 200]) {
    const child = Bun.spawn([process.execPath, program, path], { stdout: 'pipe' });
    let output = '';
    for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
      output += chunk;
      if (output.split('\n').length > wanted) child.kill('SIGKILL');
    }
    await child.exited;

    const database = openSqlite(path);
    const { rows } = await sql<{ pair: string; halves: number }>`
      select pair, count(*) as halves from halves group by pair`.execute(database.db);
    expect(rows.filter(({ halves }) => halves !== 2)).toEqual([]);
    const kept = rows.map(({ pair }) => pair);
    // The last line may be cut off.
    const acknowledged = output.split('\n').slice(0, -1);
    expect(acknowledged.filter((pair) => !kept.includes(pair))).toEqual([]);
    await sql`drop table halves`.execute(database.db);
    await database.close();
  }
  await rm(folder, { recursive: true });
});
