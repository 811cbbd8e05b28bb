import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Compilable, type CompiledQuery, Kysely, sql } from 'kysely';
import { INLINE_MARK, inlineRead } from '../inline-read.ts';
import { searched } from '../search.ts';
import { addDeadline } from './add-deadline.ts';
import { connectReader, connectWriter } from './connection.ts';
import { ThreadedSqliteDialect } from './dialect.ts';
import { attempt } from './protocol.ts';
import { Readers } from './readers.ts';
import { Router } from './routing.ts';

const folder = await mkdtemp(join(tmpdir(), 'wharf-routing-'));
const path = join(folder, 'wharf.db');
const writer = connectWriter(path);
for (const statement of [
  'create table users (id text primary key, email text unique, born integer)',
  'create table files (number integer primary key, bucket text, name text, unique (bucket, name))',
  'create index files_by_name on files (name)',
  "with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000) insert into files select i, 'b', i from n",
]) {
  writer.file.run(statement);
}
const reader = connectReader(path);
const router = new Router(reader);
afterAll(async () => {
  reader.close();
  writer.close();
  await rm(folder, { recursive: true });
});

type Tables = {
  users: { id: string; email: string; born: number };
  files: { number: number; bucket: string; name: string };
};
const db = new Kysely<Tables>({ dialect: new ThreadedSqliteDialect({} as never) });
const raw = (text: string): Compilable => ({ compile: () => sql.raw(text).compile(db) });
const user = db.selectFrom('users').where('users.id', '=', 'u');

describe('outside transactions', () => {
  test.each([
    ['a row by its key', user.selectAll(), 'reader'],
    ['a row by its key, marked', user.selectAll().$call(inlineRead), 'inline'],
    [
      'many rows by their keys, marked',
      db.selectFrom('users').selectAll().where('id', 'in', Array(100).fill('u')).$call(inlineRead),
      'reader',
    ],
    ['text that reads', raw('select count(*) from files'), 'reader'],
    ['text that reads, marked', raw(`select 1 ${INLINE_MARK}`), 'inline'],
    ['text with a common table', raw('with one as (select 1) select * from one'), 'reader'],
    ['an insert', db.insertInto('users').values({ id: 'v', email: 'v', born: 1 }), 'writer'],
    [
      'an update that returns its row',
      db.updateTable('users').set({ born: 2 }).where('id', '=', 'u').returningAll(),
      'writer',
    ],
    ['text that writes', raw('update users set born = 1 where id = 1 returning *'), 'writer'],
    [
      'text with a common table that writes',
      raw('with one as (select 1) insert into users select 1, 1, 1'),
      'writer',
    ],
    ['a change of the schema', raw('create table more (id text)'), 'writer'],
  ] as [string, Compilable, string][])('%s', (_name, query, target) => {
    expect(router.route(query.compile()).target).toBe(target as 'inline');
  });
});

describe('a statement that takes too long', () => {
  const readers = new Readers(path, { timeoutMs: 300 });
  afterAll(() => readers.close());
  const run = (query: Compilable) => {
    const compiled = query.compile();
    return readers.run({ ...compiled, sql: router.route(compiled).sql });
  };
  const product = db.selectFrom(['files as a', 'files as b', 'files as c']);

  const none = sql<boolean>`a.number + b.number + c.number = -1`;
  const one = db.selectFrom('files as a').where('a.number', '=', 1);

  test.each([
    ['in its first table', product.select('a.name').where(none)],
    [
      'in a later table',
      one
        .leftJoin('files as b', (join) => join.onTrue())
        .leftJoin('files as c', (join) => join.onTrue())
        .leftJoin('files as d', (join) => join.onTrue())
        .select('d.name'),
    ],
    ['while it adds up', product.select(db.fn.countAll().as('n')).where(none)],
    ['in a subquery', db.selectNoFrom(product.select(db.fn.countAll().as('n')).as('n'))],
    [
      'in a common table',
      db
        .with('pairs', () => product.select('a.name'))
        .selectFrom('pairs')
        .select(db.fn.countAll().as('n')),
    ],
  ] as [string, Compilable][])('is interrupted %s', async (_name, query) => {
    expect(await run(query).catch(({ status, headers }) => [status, headers])).toEqual([
      503,
      { 'retry-after': '2' },
    ]);
  });

  test('has a deadline in each table of a search, also behind its index', async () => {
    const texts: string[] = [];
    const run = (query: CompiledQuery) => {
      texts.push(addDeadline(query, (name) => name === 'users'));
      // So many rows are newer that those of the index are searched too.
      return { rows: texts.length === 1 ? [{ id: 'last' }] : [] };
    };
    const recorder = new Kysely<Tables>({ dialect: new ThreadedSqliteDialect({ run } as never) });
    const ids = recorder.selectFrom('users').select('id');
    await searched({ engine: 'sqlite' }, 'users', { ids, rows: ids }, { words: 'needle' });
    const indexed = texts.find((text) => text.includes('users_search')) ?? '';
    expect(indexed.match(/is_in_time\("users"\.rowid\)/g)).toHaveLength(2);
  });

  test('leaves its thread ready for the next, whose result is what it is without a deadline', async () => {
    const query = db
      .selectFrom('files as a')
      .leftJoin('files as b', (join) =>
        join.onRef('b.number', '=', 'a.number').on('b.name', '=', '7'),
      )
      .select(['a.number', 'b.name'])
      .where((eb) => eb.or([eb('a.number', '=', 7), eb('a.number', '=', 8)]))
      .orderBy('a.number');
    const rows = [
      { number: 7, name: '7' },
      { number: 8, name: null },
    ];
    expect((await run(query)).rows).toEqual(rows);
    const { sql, parameters } = query.compile();
    expect(attempt(() => reader.run({ sql, parameters }))).toMatchObject({ answer: { rows } });
  });
});
