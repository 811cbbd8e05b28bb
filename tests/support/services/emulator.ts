import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Arch } from '../../../scripts/binary/libraries.ts';

const BINFMT = '/proc/sys/fs/binfmt_misc';

/** By kind of machine: how a magic number with its `e_machine` begins, QEMU's name for it, its loader. */
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
 * Whether programs of another kind of machine run here: the kernel hands them to an emulator, and glibc
 * of that kind lies where the emulator looks for it.
 */
export function isEmulated(arch: Arch): boolean {
  const { magic, name, loader } = MACHINES[arch];
  const roots = ['/', join('/etc/qemu-binfmt', name)];
  return (
    entries().some((entry) => magic.test(entry)) &&
    roots.some((root) => existsSync(join(root, loader)))
  );
}

/** What the kernel says of each format that is enabled. */
function entries(): string[] {
  if (!existsSync(BINFMT)) return [];
  return readdirSync(BINFMT)
    .filter((name) => name !== 'register' && name !== 'status')
    .map((name) => readFileSync(join(BINFMT, name), 'utf8'))
    .filter((entry) => entry.startsWith('enabled'));
}
