import { statSync } from 'node:fs';
import { addPathRule, createRuleset, landlockVersion, openPath, restrictSelf } from './libc.ts';
import type { FileAccess } from './policy.ts';

/** The access rights of Landlock, from linux/landlock.h. */
const RIGHTS = {
  execute: 1n << 0n,
  writeFile: 1n << 1n,
  readFile: 1n << 2n,
  readDir: 1n << 3n,
  removeDir: 1n << 4n,
  removeFile: 1n << 5n,
  makeDir: 1n << 7n,
  makeRegular: 1n << 8n,
  truncate: 1n << 14n,
};
const READ = RIGHTS.execute | RIGHTS.readFile | RIGHTS.readDir;
/**
 * Everything but links, devices, sockets and pipes: a link could make us publish what it leads to.
 */
const WRITE =
  RIGHTS.writeFile |
  RIGHTS.readFile |
  RIGHTS.readDir |
  RIGHTS.removeDir |
  RIGHTS.removeFile |
  RIGHTS.makeDir |
  RIGHTS.makeRegular |
  RIGHTS.truncate;
/** The rights that mean something for a file that is no folder. The kernel refuses the others. */
const OF_FILES = RIGHTS.execute | RIGHTS.writeFile | RIGHTS.readFile | RIGHTS.truncate;
/** Neither abstract Unix sockets nor signals reach processes outside. */
const SCOPES = 3n;

/** Returns the rights that a version of Landlock knows. */
const rightsOf = (version: number): bigint => {
  const count = version >= 5 ? 16 : version >= 3 ? 15 : version >= 2 ? 14 : 13;
  return (1n << BigInt(count)) - 1n;
};

/**
 * Restricts this thread, and what it executes, to some files. It can no longer look into processes outside
 * either, nor send them signals where the kernel knows how. Returns whether it is restricted; a kernel
 * without Landlock changes nothing.
 */
export function restrictFiles({ read, write, list }: FileAccess): boolean {
  const version = landlockVersion();
  if (version === 0) return false;
  const handled = rightsOf(version);
  const ruleset = createRuleset(
    new BigUint64Array(version >= 6 ? [handled, 0n, SCOPES] : [handled]),
  );
  if (ruleset < 0) return false;
  const allow = (rights: bigint) => (path: string) => {
    const descriptor = openPath(path);
    if (descriptor === null) return true;
    const meant = statSync(path).isDirectory() ? rights : rights & OF_FILES;
    return addPathRule(ruleset, meant & handled, descriptor);
  };
  return (
    read.every(allow(READ)) &&
    write.every(allow(WRITE)) &&
    list.every(allow(RIGHTS.readDir)) &&
    restrictSelf(ruleset)
  );
}
