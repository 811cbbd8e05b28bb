import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Arch } from '../../../scripts/binary/libraries.ts';

const BINFMT = '/proc/sys/fs/binfmt_misc';

/** For each architecture: the magic number with its `e_machine`, QEMU's name, and the loader. */
const MACHINES: Record<Arch, { magic: RegExp; name: string; loader: string }> = {
  x64: {
    magic: /^magic 7f454c46.{28}3e00/m,
    name: 'x86_64',
    loader: 'lib64/ld-linux-x86-64.so.2',
  },
  arm64: {
    magic: /^magic 7f454c46.{28}b700/m,
    name: 'aarch64',
    loader: 'lib/ld-linux-aarch64.so.1',
  },
};

/**
 * Returns whether programs of another architecture run here: the kernel passes them to an emulator, which
 * finds that architecture's glibc.
 */
export function isEmulated(arch: Arch): boolean {
  const { magic, name, loader } = MACHINES[arch];
  const roots = ['/', join('/etc/qemu-binfmt', name)];
  return (
    entries().some((entry) => magic.test(entry)) &&
    roots.some((root) => existsSync(join(root, loader)))
  );
}

/** Returns the kernel's description of each enabled binary format. */
function entries(): string[] {
  if (!existsSync(BINFMT)) return [];
  return readdirSync(BINFMT)
    .filter((name) => name !== 'register' && name !== 'status')
    .map((name) => readFileSync(join(BINFMT, name), 'utf8'))
    .filter((entry) => entry.startsWith('enabled'));
}
