import { sql } from 'kysely';
import { openSqlite } from '../open.ts';

/*
 * A program for crash.test.ts: writes pairs of rows from many callers at once until it is killed, half of them
 * in batches, lets some throw between the two rows, and prints the name of each pair that was acknowledged.
 */

const CALLERS = 8;

const { db, transaction, batch } = openSqlite(process.argv[2] ?? '');

const half = (name: string, number: number) => sql`insert into halves values (${name}, ${number})`;

const addInTransaction = (name: string, isCutOff: boolean) =>
  transaction(async (tx) => {
    await half(name, 1).execute(tx);
    if (isCutOff) throw new Error('cut off');
    await half(name, 2).execute(tx);
  });

const addInBatch = (name: string, isCutOff: boolean) =>
  batch([
    { query: half(name, 1).compile(db), expect: isCutOff ? 0 : 1 },
    { query: half(name, 2).compile(db) },
  ]);

async function writePairs(caller: number) {
  for (let pair = 0; ; pair += 1) {
    const name = `${caller}-${pair}`;
    const isCutOff = pair % 5 === 0;
    const add = caller % 2 === 0 ? addInTransaction(name, isCutOff) : addInBatch(name, isCutOff);
    if (await add.then(() => true).catch(() => false)) process.stdout.write(`${name}\n`);
  }
}

await sql`create table halves (pair text, half integer)`.execute(db);
await Promise.all(Array.from({ length: CALLERS }, (_, caller) => writePairs(caller)));
