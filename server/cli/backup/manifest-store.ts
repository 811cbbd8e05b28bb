import { Database } from 'bun:sqlite';

export type Entry = { key: string; size: number; sha256: string };

/**
 * Opens the manifest of a backup: the SHA-256 of every object, in a SQLite file of its own, because
 * a backup of many millions of objects fits into no memory.
 */
export function openManifest(path: string, { readOnly = false } = {}) {
  const file = new Database(path, readOnly ? { readonly: true, strict: true } : { strict: true });
  if (!readOnly) {
    file.run('create table if not exists entries (key text primary key, size, sha256, run)');
    file.run('create table if not exists about (name text primary key, value)');
  }
  const put = {
    run: (name: string, value: string) =>
      file.query('insert or replace into about (name, value) values (?, ?)').run(name, value),
  };
  const about = (name: 'database' | 'next' | 'finished'): string | null =>
    file.query<{ value: string }, [string]>('select value from about where name = ?').get(name)
      ?.value ?? null;
  const find = file.query<Entry, [string]>('select key, size, sha256 from entries where key = ?');
  return {
    find: (key: string): Entry | null => find.get(key),

    /** Records objects as part of this run, in one transaction. */
    keep(entries: Entry[], run: string): void {
      const insert = file.query(
        'insert or replace into entries (key, size, sha256, run) values (?, ?, ?, ?)',
      );
      file.transaction(() => {
        for (const { key, size, sha256 } of entries) insert.run(key, size, sha256, run);
      })();
    },

    isOf: (key: string, run: string): boolean =>
      file.query('select 1 from entries where key = ? and run = ?').get(key, run) !== null,

    /** Records the hash of the database that is about to replace the one of the earlier run. */
    expect(databaseSha256: string): void {
      put.run('next', databaseSha256);
    },

    /**
     * Whether a run with this database has finished, or was killed when only its last records were
     * missing.
     */
    isDatabase: (sha256: string): boolean =>
      [about('database'), about('next')].some((one) => one === sha256),

    /** Ends a run. Objects that only earlier runs contained are dropped from the manifest. */
    finish(run: string, databaseSha256: string): void {
      file.transaction(() => {
        file.query('delete from entries where run <> ?').run(run);
        put.run('database', databaseSha256);
        put.run('finished', new Date().toISOString());
      })();
    },

    /** Returns when the last run ended; null where none has. */
    finished: () => about('finished'),

    entries: (): Iterable<Entry> =>
      file.query<Entry, []>('select key, size, sha256 from entries').iterate(),
    close: () => file.close(),
  };
}

export type Manifest = ReturnType<typeof openManifest>;
