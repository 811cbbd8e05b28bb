import { layerOf } from './layers.ts';
import { type Source, type Violation, violation } from './rules.ts';

/** The layers that islands can use types of; of schemas they can use nothing else. */
const TYPE_LAYERS = ['contract', 'schemas', 'islands'];

/** The subjects that every island can use. */
const COMMON = ['ui', 'runtime', 'page'];
/** Names the file of every island, to load it where a page contains it, and uses nothing of it. */
export const MANIFEST = 'islands/runtime/manifest.ts';

/** Returns a violation for each import from another subject's islands except from its `shared.ts`. */
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
 * Returns violations for types that an island imports from the server outside of the contract. They don't
 * exist at run time, but make the island depend on everything that the type is made of.
 */
export function findIslandTypes({ file, imports, linked }: Source): Violation[] {
  if (layerOf(file).kind !== 'islands') return [];
  const loaded = new Set(imports.map((one) => one.target));
  return linked
    .filter((target) => !loaded.has(target) && !TYPE_LAYERS.includes(layerOf(target).kind))
    .filter((target) => target.startsWith('server/') || target.startsWith('media/'))
    .map((target) => violation(4, file, target));
}
