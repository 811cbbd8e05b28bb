import { findProgram } from '../scripts/setup/programs.mjs';

/** Debian keeps servers out of an ordinary user's PATH. */
const FOLDERS = `${process.env.PATH}:/usr/sbin:/usr/local/sbin`;

/**
 * Where the programs are, by name. Installs nothing, as Debian's nginx would start a server of
 * its own. Throws with one line that names all that are missing.
 */
export function findPrograms<Name extends string>(names: readonly Name[]): Record<Name, string> {
  const found = names.map((name) => [name, findProgram([name], FOLDERS)] as const);
  const missing = found.flatMap(([name, path]) => (path ? [] : [name]));
  if (missing.length > 0) {
    throw new Error(`The benchmark needs ${missing.join(', ')}: install them, then run it again.`);
  }
  return Object.fromEntries(found) as Record<Name, string>;
}
