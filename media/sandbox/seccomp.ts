/**
 * What a filter of system calls knows about an architecture: its number in linux/audit.h and the numbers of
 * the calls that it refuses.
 */
const ARCHITECTURES: Record<string, { audit: number; socket: number; foreign: number | null }> = {
  // Calls of the x32 ABI have this bit, and other numbers.
  x64: { audit: 0xc000_003e, socket: 41, foreign: 0x4000_0000 },
  arm64: { audit: 0xc000_00b7, socket: 198, foreign: null },
};
/** A ring can open sockets as well, and a filter does not see what it is asked to do. */
const IO_URING_SETUP = 425;

/** From linux/bpf_common.h and linux/seccomp.h. */
const LOAD_WORD = 0x20;
const JUMP_IF_EQUAL = 0x15;
const JUMP_IF_AT_LEAST = 0x35;
const RETURN = 0x06;
const ALLOW = 0x7fff_0000;
const REFUSE = 0x0005_0000;
const EACCES = 13;
/** The offsets in struct seccomp_data. */
const CALL_NUMBER = 0;
const ARCHITECTURE = 4;

/**
 * Returns the BPF program that refuses to open sockets, of whatever family, with 'Permission denied'; null
 * for an architecture that it does not know. Pairs of sockets within a process are left, as they lead
 * nowhere.
 */
export function socketFilter(arch: string): Buffer | null {
  const known = ARCHITECTURES[arch];
  if (!known) return null;
  const refused: [test: number, value: number][] = [
    [JUMP_IF_EQUAL, known.socket],
    [JUMP_IF_EQUAL, IO_URING_SETUP],
    ...(known.foreign === null ? [] : [[JUMP_IF_AT_LEAST, known.foreign] as [number, number]]),
  ];
  const count = refused.length;
  return Buffer.concat([
    instruction(LOAD_WORD, ARCHITECTURE),
    // Another architecture, such as 32-bit x86, numbers its calls differently: all of them are refused.
    instruction(JUMP_IF_EQUAL, known.audit, 0, count + 2),
    instruction(LOAD_WORD, CALL_NUMBER),
    ...refused.map(([test, value], index) => instruction(test, value, count - index, 0)),
    instruction(RETURN, ALLOW),
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
