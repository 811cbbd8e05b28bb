import { type Source, type Violation, violation } from './rules.ts';

const PASSED_ON = /\bexport\s*(?:\*|\{[^}]*\})\s*(?:as\s+\w+\s*)?from\b/;
const IMPORTED = /\bimport\s*\{([^}]*)\}\s*from\b/g;
const EXPORTED = /\bexport\s*\{([^}]*)\}(?!\s*from\b)/g;

/**
 * The violation of a file of server/adapters that exports what it imports: who may not import an
 * adapter would get it all the same.
 */
export function findReExport({ file, code }: Source): Violation[] {
  if (!file.startsWith('server/adapters/')) return [];
  const imported = new Set(namesIn(code, IMPORTED, (name) => name.split(/\s+as\s+/).at(-1)));
  const exported = namesIn(code, EXPORTED, (name) => name.split(/\s+as\s+/).at(0));
  const found = PASSED_ON.exec(code)?.[0] ?? exported.find((name) => imported.has(name));
  return found ? [violation(6, file, found)] : [];
}

/** The names in the braces of every match, each by its name inside of the file. */
const namesIn = (code: string, list: RegExp, local: (name: string) => string | undefined) =>
  [...code.matchAll(list)].flatMap(([, names = '']) =>
    names
      .split(',')
      .map((name) => local(name.trim()) ?? '')
      .filter(Boolean),
  );
