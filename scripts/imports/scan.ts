import { dirname, join } from 'node:path';
import { findEnvironmentRead, findReExport, findSpawn, findSql } from './code-rules.ts';
import { findForeignIslands, findIslandTypes } from './islands.ts';
import { findKeptPromise } from './kept-promises.ts';
import { findViolations, type Import, type Source, type Violation } from './rules.ts';
import { findCrowdedFolders, findCycles, findFolderCycles } from './structure.ts';

// Two transpilers are needed, because TSX parses the start of a generic arrow function as an element.
// They would replace NODE_ENV by its value, which has to be found too.
const define = { 'process.env.NODE_ENV': 'process.env.MODE' };
const transpilers = {
  ts: new Bun.Transpiler({ loader: 'ts', define }),
  tsx: new Bun.Transpiler({ loader: 'tsx', define }),
};
const transpilerOf = (file: string) => transpilers[file.endsWith('.tsx') ? 'tsx' : 'ts'];
const SPECIFIERS = /\b(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g;
const PROGRAM = '{server,islands,media}/**/*.{ts,tsx}';

/**
 * Returns what a file imports at run time. `import type` is dropped; re-exports and `import()` are
 * included.
 */
export function readImports(file: string, text: string): Import[] {
  return transpilerOf(file)
    .scanImports(text)
    .map(({ path, kind }) => {
      const isPackage = !/^\.{1,2}\//.test(path);
      return {
        target: isPackage ? path : join(dirname(file), path),
        isPackage,
        isDynamic: kind === 'dynamic-import',
      };
    });
}

/** Returns all violations in a set of files, given as path from the project's folder → text. */
export function checkFiles(files: Map<string, string>): Violation[] {
  const sources: Source[] = [...files].map(([file, text]) => ({
    file,
    imports: readImports(file, text),
    linked: [...text.matchAll(SPECIFIERS)].map(([, path = '']) => join(dirname(file), path)),
    code: transpilerOf(file).transformSync(text),
  }));
  return [
    ...findViolations(sources),
    ...findCycles(sources),
    ...findFolderCycles(sources),
    ...sources.flatMap(findForeignIslands),
    ...sources.flatMap(findEnvironmentRead),
    ...sources.flatMap(findSql),
    ...sources.flatMap(findReExport),
    ...sources.flatMap(findSpawn),
    ...sources.flatMap(findIslandTypes),
    ...sources.flatMap((source) => findKeptPromise(source, files.get(source.file) ?? '')),
    ...findCrowdedFolders(files.keys()),
  ];
}

/** Returns all violations of the project in `root`. */
export async function checkProject(root: string): Promise<Violation[]> {
  const files = new Map<string, string>();
  for await (const file of new Bun.Glob(PROGRAM).scan(root)) {
    files.set(file, await Bun.file(join(root, file)).text());
  }
  return checkFiles(files);
}
