import { dirname, join } from 'node:path';
import { layerOf } from './layers.ts';
import { type Source, type Violation, violation } from './rules.ts';

const SPECIFIERS = /\b(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g;
/** What islands may know of the server; of the schemas they may know the types only. */
const KNOWN = ['contract', 'schemas', 'islands'];

/** What every island may use. */
const COMMON = ['ui', 'runtime', 'page'];
/** Names the file of every island, to load it where a page has it; nothing of one is used here. */
export const MANIFEST = 'islands/runtime/manifest.ts';

/** A violation for each import of another subject's islands that is not of its `shared.ts`. */
export function findForeignIslands({ file, imports }: Source): Violation[] {
  if (layerOf(file).kind !== 'islands' || file === MANIFEST) return [];
  const subject = subjectOf(file);
  return imports
    .filter(({ target, isPackage }) => !isPackage && target.startsWith('islands/'))
    .filter(({ target }) => {
      const other = subjectOf(target);
      if (other === subject || COMMON.includes(other)) return false;
      return target !== `islands/${other}/shared.ts`;
    })
    .map(({ target }) => violation(15, file, target));
}

const subjectOf = (file: string) => file.split('/')[1] ?? '';

/**
 * The types that an island takes of the server beside the contract. They leave nothing at run time,
 * but tie the island to all that the type is made of.
 * @param text the file as it is written, since what Bun makes of it holds no types
 */
export function findIslandTypes({ file, imports }: Source, text: string): Violation[] {
  if (layerOf(file).kind !== 'islands') return [];
  const loaded = new Set(imports.map((one) => one.target));
  return [...text.matchAll(SPECIFIERS)]
    .map(([, path = '']) => join(dirname(file), path))
    .filter((target) => !loaded.has(target) && !KNOWN.includes(layerOf(target).kind))
    .filter((target) => target.startsWith('server/') || target.startsWith('media/'))
    .map((target) => violation(4, file, target));
}
