import { Database } from 'bun:sqlite';

export type Entry = { key: string; size: number; sha256: string };

/**
 * What a backup holds and the SHA-256 of each, in a file of its own beside it: a backup of many
 * millions of objects fits into no memory.
 */
export function openManifest(path: string, { readOnly = false } = {}) {
  const file = new Database(path, readOnly ? { readonly: true, strict: true } : { strict: true });
  if (!readOnly) {
    file.run('create table if not exists entries (key text primary key, size, sha256, run)');
    file.run('create table if not exists about (name text primary key, value)');
  }
  const find = file.query<Entry, [string]>('select key, size, sha256 from entries where key = ?');
  return {
    find: (key: string): Entry | null => find.get(key),

    /** Notes an object as one of this run's. */
    keep({ key, size, sha256 }: Entry, run: string): void {
      file
        .query('insert or replace into entries (key, size, sha256, run) values (?, ?, ?, ?)')
        .run(key, size, sha256, run);
    },

    isOf: (key: string, run: string): boolean =>
      file.query('select 1 from entries where key = ? and run = ?').get(key, run) !== null,

    /** Ends a run: what only earlier ones held is forgotten. */
    finish(run: string, databaseSha256: string): void {
      file.transaction(() => {
        file.query('delete from entries where run <> ?').run(run);
        const put = file.query('insert or replace into about (name, value) values (?, ?)');
        put.run('database', databaseSha256);
        put.run('finished', new Date().toISOString());
      })();
    },

    about(name: 'database' | 'finished'): string | null {
      const row = file
        .query<{ value: string }, [string]>('select value from about where name = ?')
        .get(name);
      return row?.value ?? null;
    },

    entries: (): Iterable<Entry> =>
      file.query<Entry, []>('select key, size, sha256 from entries').iterate(),
    close: () => file.close(),
  };
}

export type Manifest = ReturnType<typeof openManifest>;
