import { join } from 'node:path';
import type { Route } from './route-table.ts';

const SOURCES = new Bun.Glob('server/**/*.{ts,tsx}');

/** The text of every source file of the server, by its path from the project's folder. */
export async function readSources(root: string): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for await (const file of SOURCES.scan(root)) {
    if (/\.test\.tsx?$|\/testing\//.test(file)) continue;
    texts.set(file, await Bun.file(join(root, file)).text());
  }
  return texts;
}

/**
 * Returns the file that mounts a route. It is the one that names method and whole path, as in
 * `.get('/files/:bucketID'` or `['GET', '/files']`. Throws where that is not exactly one.
 */
export function fileOf({ method, path }: Route, texts: Map<string, string>): string {
  const quoted = `'${RegExp.escape(path)}'`;
  const mounted = new RegExp(
    `\\.${method.toLowerCase()}\\(\\s*${quoted}|'${method}',\\s*${quoted}|${quoted}: \\{[^}]*\\b${method}:`,
  );
  const files = [...texts].filter(([, text]) => mounted.test(text)).map(([file]) => file);
  const [file] = files;
  if (file && files.length === 1) return file;
  throw new Error(
    files.length === 0
      ? `No file mounts ${method} ${path} by its whole path, so that nobody finds it by its URL. Write the path out where it is mounted.`
      : `${files.join(' and ')} both mount ${method} ${path}.`,
  );
}
