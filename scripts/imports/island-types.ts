import { dirname, join } from 'node:path';
import { layerOf } from './layers.ts';
import { type Source, type Violation, violation } from './rules.ts';

const SPECIFIERS = /\b(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g;
/** What islands may know of the server; of the schemas they may know the types only. */
const KNOWN = ['contract', 'schemas', 'islands'];

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
