import { dirname } from 'node:path';
import { MANIFEST } from './islands.ts';
import { layerOf } from './layers.ts';
import { type Source, type Violation, violation } from './rules.ts';

const MAX_FILES = 20;
/** Tests and migrations don't count: tests are beside the code they test, and migrations are append-only. */
const NOT_COUNTED = /\.test\.tsx?$|\/conformance\.ts$|\/migrations\//;

/** What each node of a graph leads to. */
type Graph = Map<string, Iterable<string>>;

/** Returns a violation for each cycle of files that import each other at run time, with the way round. */
export function findCycles(sources: Source[]): Violation[] {
  const graph = new Map(sources.map(({ file, imports }) => [file, targetsOf(imports)]));
  return ringsOf(graph).map(([start = '', ...path]) =>
    violation(8, start, [start, ...path].join(' → ')),
  );
}

/**
 * Returns a violation for each cycle of sibling folders whose files import each other, types too. Files
 * directly in the folder above don't count, because they are shared by all of them or combine them; neither
 * do server, islands and media, which share `server/contract`.
 */
export function findFolderCycles(sources: Source[]): Violation[] {
  const graphs = new Map<string, Map<string, Set<string>>>();
  for (const { file, linked } of sources) {
    if (layerOf(file).kind === 'outside' || file === MANIFEST) continue;
    for (const target of linked) {
      const siblings = siblingFolders(file, target);
      if (!siblings) continue;
      const { parent, from, to } = siblings;
      const graph = graphs.getOrInsertComputed(parent, () => new Map());
      graph.getOrInsertComputed(from, () => new Set()).add(to);
    }
  }
  return [...graphs].flatMap(([parent, graph]) =>
    ringsOf(graph).map((ring) => violation(14, parent, ring.join(' → '))),
  );
}

const targetsOf = (imports: Source['imports']) =>
  imports.filter((one) => !one.isPackage).map((one) => one.target);

/** Returns the sibling folders that contain two files; null where one file is above the other or beside it. */
function siblingFolders(file: string, target: string) {
  const from = file.split('/');
  const to = target.split('/');
  const depth = from.findIndex((part, index) => part !== to[index]);
  const areFolders = depth > 0 && depth < from.length - 1 && depth < to.length - 1;
  if (!areFolders) return null;
  return {
    parent: from.slice(0, depth).join('/'),
    from: from[depth] ?? '',
    to: to[depth] ?? '',
  };
}

/** Returns the cycles of a graph, each as the way from a node back to it. */
function ringsOf(graph: Graph): string[][] {
  const done = new Set<string>();
  const rings: string[][] = [];

  function visit(node: string, path: string[]) {
    const start = path.indexOf(node);
    if (start >= 0) {
      rings.push([...path.slice(start), node]);
      return;
    }
    if (done.has(node)) return;
    for (const next of graph.get(node) ?? []) visit(next, [...path, node]);
    done.add(node);
  }
  for (const node of graph.keys()) visit(node, []);
  return rings;
}

/** Returns a violation for each folder that contains too many source files to survey. */
export function findCrowdedFolders(files: Iterable<string>): Violation[] {
  const counts = new Map<string, number>();
  for (const file of files) {
    if (NOT_COUNTED.test(file)) continue;
    const folder = dirname(file);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > MAX_FILES)
    .map(([folder, count]) => violation(11, folder, `${count} files`));
}
