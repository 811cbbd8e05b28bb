import { installCommand, thisMachine } from '../../scripts/setup/debian.mjs';
import { findServer } from '../../scripts/setup/programs.mjs';

/** What the benchmark runs beside ours, with Debian's package of each. */
const PACKAGES = {
  nginx: 'nginx',
  wrk: 'wrk',
  taskset: 'util-linux',
  curl: 'curl',
  chromium: 'chromium',
};
type Name = keyof typeof PACKAGES;

/**
 * Where the programs are, by name. Installs nothing, as Debian's nginx would start a server of
 * its own. Throws with one line that names all that are missing, and the command that installs them.
 */
export function findPrograms<Wanted extends Name>(
  names: readonly Wanted[],
): Record<Wanted, string> {
  const found = names.map((name) => [name, findServer(name)] as const);
  const missing = found.flatMap(([name, path]) => (path ? [] : [name]));
  if (missing.length > 0) {
    const packages = missing.map((name) => PACKAGES[name]);
    const command = installCommand(packages, thisMachine());
    throw new Error(`It needs ${missing.join(', ')}. To install: ${command}`);
  }
  return Object.fromEntries(found) as Record<Wanted, string>;
}
