import { layerOf } from './layers.ts';
import { type Source, type Violation, violation } from './rules.ts';

/**
 * Where SQL is allowed: in stores, in the database's own folder with its migrations, and in the PostgreSQL
 * adapter of another port.
 */
const SQL_FILES =
  /\/(?:[\w-]+-)?store\.ts$|^server\/platform\/db\/|^server\/platform\/\w+\/postgres\.ts$/;
/** This file uses SQLite for a lock on a file, and contains no rows. */
const LOCK_FILE = 'media/work-folder.ts';

const CLIENTS = /^(?:kysely|pg|pg-cursor|bun:sqlite)(?:\/|$)/;
const QUERIES = [
  /\.\s*(?:selectFrom|insertInto|updateTable|deleteFrom|replaceInto|mergeInto)\s*\(/,
  /\bsql\s*`/,
  /\bnew SQL\s*\(/,
];

const READS = [
  /\b(?:process|Bun)\s*\??\.\s*env\b/,
  /\b(?:process|Bun)\s*\[\s*["'`]env["'`]/,
  /\bimport\.meta\.env\b/,
  /\benv\b[^;=]*\}\s*=\s*(?:process|Bun)\b/,
  /\benv\b[^;]*\}\s*from\s*["'](?:node:process|process|bun)["']/,
];

const STARTS = [
  /\bBun\s*\??\.\s*(?:spawn|spawnSync|\$)(?![\w$])/,
  /\b(?:spawn|spawnSync|\$)\b[^;]*\}\s*from\s*["']bun["']/,
  /\b(?:spawn|spawnSync|\$)\b[^;=]*\}\s*=\s*Bun\b/,
];
const NODE_MODULES = ['child_process', 'node:child_process', 'cluster', 'node:cluster'];

const PASSED_ON = /\bexport\s*(?:\*|\{[^}]*\})\s*(?:as\s+\w+\s*)?from\b/;
const IMPORTED = /\bimport\s*\{([^}]*)\}\s*from\b/g;
const EXPORTED = /\bexport\s*\{([^}]*)\}(?!\s*from\b)/g;

/**
 * Returns a violation where a file queries a database outside the places for it: by the query builder, by
 * text, or with its own client.
 */
export function findSql({ file, imports, code }: Source): Violation[] {
  if (SQL_FILES.test(file) || file === LOCK_FILE || layerOf(file).kind === 'outside') return [];
  const client = imports.find((one) => one.isPackage && CLIENTS.test(one.target))?.target;
  const query = QUERIES.map((one) => one.exec(code)?.[0]).find(Boolean);
  const access = query ?? client;
  return access ? [violation(12, file, access)] : [];
}

/**
 * Returns a violation where a file other than server/config/config.ts reads environment variables, NODE_ENV
 * too: what behaves otherwise in tests is not tested.
 */
export function findEnvironmentRead({ file, code }: Source): Violation[] {
  if (file === 'server/config/config.ts' || layerOf(file).kind === 'outside') return [];
  const read = READS.map((one) => one.exec(code)?.[0]).find(Boolean);
  return read ? [violation(9, file, read)] : [];
}

/** Returns a violation where a file other than media/sandbox/spawn.ts starts processes. */
export function findSpawn({ file, imports, code }: Source): Violation[] {
  if (file === 'media/sandbox/spawn.ts' || layerOf(file).kind === 'outside') return [];
  const start =
    STARTS.map((one) => one.exec(code)?.[0]).find(Boolean) ??
    imports.find((one) => NODE_MODULES.includes(one.target))?.target;
  return start ? [violation(13, file, start)] : [];
}

/**
 * Returns a violation where a file of server/adapters exports what it imports, which would bypass the rule
 * on importing adapters.
 */
export function findReExport({ file, code }: Source): Violation[] {
  if (!file.startsWith('server/adapters/')) return [];
  const imported = new Set(namesIn(code, IMPORTED, (name) => name.split(/\s+as\s+/).at(-1)));
  const exported = namesIn(code, EXPORTED, (name) => name.split(/\s+as\s+/).at(0));
  const reexport = PASSED_ON.exec(code)?.[0] ?? exported.find((name) => imported.has(name));
  return reexport ? [violation(6, file, reexport)] : [];
}

/** Returns the names in the braces of every match, each as the file itself uses it. */
const namesIn = (code: string, list: RegExp, local: (name: string) => string | undefined) =>
  [...code.matchAll(list)].flatMap(([, names = '']) =>
    names
      .split(',')
      .map((name) => local(name.trim()) ?? '')
      .filter(Boolean),
  );
