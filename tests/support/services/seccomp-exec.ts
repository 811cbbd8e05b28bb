import { dlopen, type Pointer, ptr } from 'bun:ffi';
import { readFileSync } from 'node:fs';
import { LIBSECCOMP, USER_ID } from '../fixtures/unit-file.ts';

/**
 * Becomes the user of a unit, allows only some system calls (others fail with EPERM), and executes a
 * command. It is a separate program, because a seccomp filter can't be removed.
 *   bun seccomp-exec.ts read,write,… COMMAND [ARGUMENT…]
 */
const SCMP_ACT_ALLOW = 0x7fff0000;
const SCMP_ACT_ERRNO_EPERM = 0x00050001;
/** This attribute applies the filter to all threads of the process. */
const SCMP_FLTATR_CTL_TSYNC = 4;

const seccomp = dlopen(LIBSECCOMP, {
  seccomp_init: { args: ['u32'], returns: 'ptr' },
  seccomp_attr_set: { args: ['ptr', 'u32', 'u32'], returns: 'i32' },
  seccomp_syscall_resolve_name: { args: ['ptr'], returns: 'i32' },
  seccomp_rule_add_array: { args: ['ptr', 'u32', 'i32', 'u32', 'ptr'], returns: 'i32' },
  seccomp_load: { args: ['ptr'], returns: 'i32' },
}).symbols;
const libc = dlopen('libc.so.6', {
  setgroups: { args: ['u64', 'ptr'], returns: 'i32' },
  setgid: { args: ['u32'], returns: 'i32' },
  setuid: { args: ['u32'], returns: 'i32' },
  execv: { args: ['ptr', 'ptr'], returns: 'i32' },
}).symbols;

const text = (value: string) => Buffer.from(`${value}\0`);

function succeed(what: string, status: number) {
  if (status !== 0) throw new Error(`${what} failed with ${status}.`);
}

const [names = '', ...command] = process.argv.slice(2);
// A process in a new user namespace has no valid user until the user map is written.
while (readFileSync('/proc/self/uid_map', 'utf8') === '') await Bun.sleep(5);

const filter = seccomp.seccomp_init(SCMP_ACT_ERRNO_EPERM) as Pointer;
succeed('seccomp_attr_set', seccomp.seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1));
for (const name of names.split(',')) {
  const call = seccomp.seccomp_syscall_resolve_name(ptr(text(name)));
  // System calls of other architectures have no number.
  if (call < 0) continue;
  succeed(name, seccomp.seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, call, 0, null));
}
succeed('setgroups', libc.setgroups(0, null));
succeed('setgid', libc.setgid(USER_ID));
succeed('setuid', libc.setuid(USER_ID));
succeed('seccomp_load', seccomp.seccomp_load(filter));

const texts = command.map(text);
const pointers = new BigUint64Array([...texts.map((one) => BigInt(ptr(one))), 0n]);
libc.execv(ptr(texts[0] ?? text('')), ptr(pointers));
throw new Error(`${command[0]} can't be started.`);
