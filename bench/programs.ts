import { findServer } from '../scripts/setup/programs.mjs';

/**
 * Where the programs are, by name. Installs nothing, as Debian's nginx would start a server of
 * its own. Throws with one line that names all that are missing.
 */
export function findPrograms<Name extends string>(names: readonly Name[]): Record<Name, string> {
  const found = names.map((name) => [name, findServer(name)] as const);
  const missing = found.flatMap(([name, path]) => (path ? [] : [name]));
  if (missing.length > 0) {
    throw new Error(`The benchmark needs ${missing.join(', ')}: install them, then run it again.`);
  }
  return Object.fromEntries(found) as Record<Name, string>;
}
