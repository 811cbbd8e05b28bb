/**
 * What a filter of system calls knows about an architecture: its number in linux/audit.h and the numbers of
 * the calls that it refuses. The flags are the first argument of `clone` on both.
 */
type Architecture = {
  audit: number;
  socket: number;
  clone: number;
  unshare: number;
  setns: number;
  foreign: number | null;
};
const ARCHITECTURES: Record<string, Architecture> = {
  x64: {
    ...{ audit: 0xc000_003e, socket: 41, clone: 56, unshare: 272, setns: 308 },
    // Calls of the x32 ABI have this bit, and other numbers.
    foreign: 0x4000_0000,
  },
  arm64: { audit: 0xc000_00b7, socket: 198, clone: 220, unshare: 97, setns: 268, foreign: null },
};
/** A ring can open sockets as well, and a filter does not see what it is asked to do. */
const IO_URING_SETUP = 425;
/**
 * Its flags are behind a pointer, which a filter can't follow. The C library falls back to `clone` where the
 * kernel does not know it.
 */
const CLONE3 = 435;
/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET of linux/sched.h. */
const NEW_NAMESPACES = 0x7e02_0000;

/** From linux/bpf_common.h and linux/seccomp.h. */
const LOAD_WORD = 0x20;
const JUMP_IF_EQUAL = 0x15;
const JUMP_IF_AT_LEAST = 0x35;
const JUMP_IF_ANY_BIT = 0x45;
const RETURN = 0x06;
const ALLOW = 0x7fff_0000;
const REFUSE = 0x0005_0000;
const EACCES = 13;
const ENOSYS = 38;
/** The offsets in struct seccomp_data; of the first argument the lower half, as both are little-endian. */
const CALL_NUMBER = 0;
const ARCHITECTURE = 4;
const FIRST_ARGUMENT = 16;

/**
 * Returns the BPF program that refuses, with 'Permission denied', to open sockets, of whatever family, and to
 * enter other namespaces: in one of its own a process has every capability, and with it more of the kernel
 * to attack. Null for an architecture that it does not know. Pairs of sockets within a process are left, as
 * they lead nowhere.
 */
export function callFilter(arch: string): Buffer | null {
  const known = ARCHITECTURES[arch];
  if (!known) return null;
  const { audit, socket, clone, unshare, setns, foreign } = known;
  const refused: [test: number, value: number][] = [
    [JUMP_IF_EQUAL, socket],
    [JUMP_IF_EQUAL, IO_URING_SETUP],
    [JUMP_IF_EQUAL, unshare],
    [JUMP_IF_EQUAL, setns],
    ...(foreign === null ? [] : [[JUMP_IF_AT_LEAST, foreign] as [number, number]]),
  ];
  const count = refused.length;
  return Buffer.concat([
    instruction(LOAD_WORD, ARCHITECTURE),
    // Another architecture, such as 32-bit x86, numbers its calls differently: all of them are refused.
    instruction(JUMP_IF_EQUAL, audit, 0, count + 7),
    instruction(LOAD_WORD, CALL_NUMBER),
    ...refused.map(([test, value], index) => instruction(test, value, count - index + 5, 0)),
    instruction(JUMP_IF_EQUAL, CLONE3, 4, 0),
    instruction(JUMP_IF_EQUAL, clone, 0, 2),
    instruction(LOAD_WORD, FIRST_ARGUMENT),
    instruction(JUMP_IF_ANY_BIT, NEW_NAMESPACES, 2, 0),
    instruction(RETURN, ALLOW),
    instruction(RETURN, REFUSE | ENOSYS),
    instruction(RETURN, REFUSE | EACCES),
  ]);
}

/** One instruction of classic BPF; the jumps count the instructions that are skipped. */
function instruction(code: number, value: number, ifTrue = 0, ifFalse = 0): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(ifTrue, 2);
  bytes.writeUInt8(ifFalse, 3);
  bytes.writeUInt32LE(value, 4);
  return bytes;
}
