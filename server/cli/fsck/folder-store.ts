import { Database } from 'bun:sqlite';

/**
 * Keeps names of folders in a temporary file, because those of many millions of objects fit into no
 * memory. The file is removed with `close`, or with the process.
 */
export function openFolders() {
  const file = new Database(':memory:', { strict: true });
  // A database without a name is a temporary file: nothing of it has to survive, so nothing is committed.
  file.run("attach '' as temporary");
  file.run('pragma temporary.journal_mode = off');
  file.run('create table temporary.folders (name text primary key) without rowid');
  file.run('begin');
  const insert = file.query<null, [string]>('insert or ignore into folders (name) values (?)');
  const remove = file.query<null, [string, string]>(
    'delete from folders where name >= ? and name < ?',
  );
  let last: string | null = null;
  return {
    /** Adds a folder, which ends in '/'. */
    add(folder: string): void {
      if (folder !== last) insert.run(folder);
      last = folder;
    },

    /** Removes a prefix, which ends in '/', and all folders below it. */
    removeBelow(prefix: string): void {
      // '0' is the character after '/'.
      remove.run(prefix, `${prefix.slice(0, -1)}0`);
    },

    isEmpty: () => file.query('select 1 from folders limit 1').get() === null,
    names: (): Iterable<{ name: string }> =>
      file.query<{ name: string }, []>('select name from folders order by name').iterate(),
    close: () => file.close(),
  };
}
