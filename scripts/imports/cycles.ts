import { type Source, type Violation, violation } from './rules.ts';

/** One violation for each ring of files that import each other at run time, with the way round. */
export function findCycles(sources: Source[]): Violation[] {
  const edges = new Map(
    sources.map(({ file, imports }) => [
      file,
      imports.filter((one) => !one.isPackage).map((one) => one.target),
    ]),
  );
  const done = new Set<string>();
  const found: Violation[] = [];

  function visit(file: string, way: string[]) {
    const start = way.indexOf(file);
    if (start >= 0) {
      found.push(violation(8, file, [...way.slice(start), file].join(' → ')));
      return;
    }
    if (done.has(file)) return;
    for (const target of edges.get(file) ?? []) visit(target, [...way, file]);
    done.add(file);
  }
  for (const file of edges.keys()) visit(file, []);
  return found;
}
