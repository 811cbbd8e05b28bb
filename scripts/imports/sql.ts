import { layerOf } from './layers.ts';
import { type Source, type Violation, violation } from './rules.ts';

/**
 * Where SQL may stand: in stores, in the database's own folder with its migrations, and in the
 * PostgreSQL adapter of another port.
 */
const PLACES =
  /\/(?:[\w-]+-)?store\.ts$|^server\/platform\/db\/|^server\/platform\/\w+\/postgres\.ts$/;
/** It holds a lock on a file, which ends with the process, and no rows. */
const LOCK_FILE = 'media/work-folder.ts';

const CLIENTS = /^(?:kysely|pg|pg-cursor|bun:sqlite)(?:\/|$)/;
const QUERIES = [
  /\.\s*(?:selectFrom|insertInto|updateTable|deleteFrom|replaceInto|mergeInto)\s*\(/,
  /\bsql\s*`/,
  /\bnew SQL\s*\(/,
];

/**
 * The violation of a file that queries a database outside the places for it: by the query builder,
 * by text, or with a client of its own.
 */
export function findSql({ file, imports, code }: Source): Violation[] {
  if (PLACES.test(file) || file === LOCK_FILE || layerOf(file).kind === 'outside') return [];
  const client = imports.find((one) => one.isPackage && CLIENTS.test(one.target))?.target;
  const query = QUERIES.map((one) => one.exec(code)?.[0]).find(Boolean);
  const found = query ?? client;
  return found ? [violation(12, file, found)] : [];
}
