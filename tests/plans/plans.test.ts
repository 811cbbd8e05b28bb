import { expect, test } from 'bun:test';
import { sql } from 'kysely';
import { AppError } from '../../server/errors.ts';
import { INLINE_MARK } from '../../server/platform/db/inline-read.ts';
import type { Database } from '../../server/platform/db/port.ts';
import { describeEachEngine, describeOnSqlite } from '../support/server/engines.ts';
import { startPostgres } from '../support/services/postgres.ts';
import { ALLOWED_SCANS, ARGUMENTS, SMALL_TABLES, WITHOUT_STATEMENTS } from './exceptions.ts';
import { longReadsOf, scansOf } from './explain.ts';
import { isPlainInsert, statementsOf } from './recorder.ts';
import { seedPostgres } from './seed.ts';
import { storeFunctions } from './stores.ts';

const functions = await storeFunctions();
const scanned = new Set<string>();

await describeEachEngine('every statement of every store', (open) => {
  test('looks rows of a growing table up, or says why not', async () => {
    const database = await open();
    const isGrowing = await growingTables(database);
    const unexpected: string[] = [];
    await database.db.connection().execute(async (db) => {
      // With it, a scan means that there is no index to use, and not that a table is still small.
      if (database.engine === 'postgres') await sql`set enable_seqscan = off`.execute(db);
      for (const { name, call } of functions) {
        const { statements } = await statementsOf(database.engine, call, ARGUMENTS[name]);
        for (const statement of statements.filter((one) => !isPlainInsert(one))) {
          for (const { table, plan } of await scansOf(database.engine, db, statement, isGrowing)) {
            scanned.add(`${name}: ${table}`);
            if (ALLOWED_SCANS[name]?.[table]) continue;
            unexpected.push(`${name}: ${plan}\n  ${statement.text.replace(/\s+/g, ' ').trim()}`);
          }
        }
      }
    });
    expect(unexpected.join('\n')).toBe('');
  });
});

describeOnSqlite('every statement for the event loop', (open) => {
  test('reads a few rows', async () => {
    const database = await open();
    const isGrowing = await growingTables(database);
    const long: string[] = [];
    let marked = 0;
    for (const { name, call } of functions) {
      const { statements } = await statementsOf('sqlite', call, ARGUMENTS[name]);
      for (const statement of statements.filter(({ text }) => text.includes(INLINE_MARK))) {
        marked += 1;
        const steps = await longReadsOf(database.db, statement, isGrowing);
        if (steps.length > 0) long.push(`${name}: ${steps.join(', ')}`);
      }
    }
    expect(long).toEqual([]);
    expect(marked).toBeGreaterThan(40);
  });
});

/** Seeds PostgreSQL, whose planner looks at statistics; SQLite's has none. Returns which tables grow. */
async function growingTables({ engine, db }: Database): Promise<(name: string) => boolean> {
  if (engine === 'postgres') await seedPostgres(db, SMALL_TABLES);
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  const names = new Set(tables.map(({ name }) => name).filter((name) => !SMALL_TABLES.has(name)));
  return (name) => names.has(name);
}

test('every function of a store sends statements that can be made up, or is known to send none', async () => {
  const without: string[] = [];
  for (const { name, call } of functions) {
    const { statements, error } = await statementsOf('sqlite', call, ARGUMENTS[name]);
    // A made-up row may be refused, such as a bucket of another user. Nothing follows that.
    const isComplete = statements.length > 0 && (!error || error instanceof AppError);
    if (!isComplete && !WITHOUT_STATEMENTS.has(name)) without.push(`${name}: ${error}`);
  }
  expect(without).toEqual([]);
});

const postgres = await startPostgres();

test.skipIf(!postgres)('every allowed scan is one on at least one of the databases', () => {
  const allowed = Object.entries(ALLOWED_SCANS).flatMap(([name, tables]) =>
    Object.keys(tables).map((table) => `${name}: ${table}`),
  );
  expect(allowed.filter((one) => !scanned.has(one))).toEqual([]);
});
