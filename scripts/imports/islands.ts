import { layerOf } from './layers.ts';
import { type Source, type Violation, violation } from './rules.ts';

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
