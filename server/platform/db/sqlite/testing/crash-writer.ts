import { sql } from 'kysely';
import { openSqlite } from '../open.ts';

/*
 * A program for crash.test.ts: writes pairs of rows from many callers at once until it is killed, lets some
 * transactions throw between the two rows, and prints the name of each pair that was acknowledged.
 */

const CALLERS = 8;

const { db, transaction } = openSqlite(process.argv[2] ?? '');

async function writePairs(caller: number) {
  for (let pair = 0; ; pair += 1) {
    const name = `${caller}-${pair}`;
    const add = transaction(async (tx) => {
      await sql`insert into halves values (${name}, 1)`.execute(tx);
      if (pair % 5 === 0) throw new Error('cut off');
      await sql`insert into halves values (${name}, 2)`.execute(tx);
    });
    if (await add.then(() => true).catch(() => false)) process.stdout.write(`${name}\n`);
  }
}

await sql`create table halves (pair text, half integer)`.execute(db);
await Promise.all(Array.from({ length: CALLERS }, (_, caller) => writePairs(caller)));
