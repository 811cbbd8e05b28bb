import { dlopen, ptr, read } from 'bun:ffi';

/*
 * The calls to the kernel that Bun does not offer. Only the launcher and the decoder load this file; both
 * are short-lived processes of their own.
 */

const { symbols } = dlopen('libc.so.6', {
  prctl: { args: ['i32', 'u64', 'u64', 'u64', 'u64'], returns: 'i32' },
  unshare: { args: ['i32'], returns: 'i32' },
  setpriority: { args: ['i32', 'u32', 'i32'], returns: 'i32' },
  prlimit: { args: ['i32', 'u32', 'ptr', 'ptr'], returns: 'i32' },
  open: { args: ['ptr', 'i32'], returns: 'i32' },
  close: { args: ['i32'], returns: 'i32' },
  socket: { args: ['i32', 'i32', 'i32'], returns: 'i32' },
  execv: { args: ['ptr', 'ptr'], returns: 'i32' },
  syscall: { args: ['i64', 'u64', 'u64', 'u64', 'u64'], returns: 'i64' },
  __errno_location: { args: [], returns: 'ptr' },
});

/** Buffers whose addresses the kernel may still read. Garbage collection would free them. */
const pinned: NodeJS.TypedArray[] = [];

function pin(buffer: NodeJS.TypedArray): NodeJS.TypedArray {
  pinned.push(buffer);
  return buffer;
}

const cString = (text: string) => pin(Buffer.from(`${text}\0`));
const lastError = (): number => read.i32(symbols.__errno_location() as never, 0);

/** From linux/prctl.h. */
const PR_SET_PDEATHSIG = 1;
const PR_GET_PDEATHSIG = 2;
const PR_SET_SECCOMP = 22;
const PR_SET_NO_NEW_PRIVS = 38;
const SECCOMP_MODE_FILTER = 2;
const CLONE_NEWNET = 0x4000_0000;
const SIGKILL = 9;
const O_PATH = 0o10_000_000;
const O_CLOEXEC = 0o2_000_000;
/** Landlock's calls are newer than the time at which all architectures got the same numbers. */
const LANDLOCK_CREATE_RULESET = 444;
const LANDLOCK_ADD_RULE = 445;
const LANDLOCK_RESTRICT_SELF = 446;
const LANDLOCK_CREATE_RULESET_VERSION = 1;
const LANDLOCK_RULE_PATH_BENEATH = 1;
/** From asm-generic/resource.h, which x86 and ARM share. */
const RESOURCES = { cpu: 0, fsize: 1, data: 2, stack: 3, core: 4, as: 9 } as const;

/** Whether programs started from here can gain no rights by a set-user-ID file from now on. */
export const refuseNewPrivileges = (): boolean =>
  symbols.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) === 0;

/**
 * Has the kernel kill this process when its parent ends. A change of user undoes it.
 * @returns whether that is so, and the parent still runs
 */
export function dieWithParent(parent: number): boolean {
  symbols.prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  const signal = new Int32Array(1);
  symbols.prctl(PR_GET_PDEATHSIG, ptr(signal), 0, 0, 0);
  return signal[0] === SIGKILL && process.ppid === parent;
}

/** Moves this thread, and what it executes, to a network namespace without any network. */
export const leaveNetwork = (): boolean => symbols.unshare(CLONE_NEWNET) === 0;

export const lowerPriority = (niceness: number): boolean =>
  symbols.setpriority(0, 0, niceness) === 0;

export function limitResource(
  resource: keyof typeof RESOURCES,
  soft: number,
  hard: number = soft,
): boolean {
  const limit = new BigUint64Array([BigInt(soft), BigInt(hard)]);
  return symbols.prlimit(0, RESOURCES[resource], ptr(limit), null) === 0;
}

/** Whether this thread can open a socket to the network. */
export function canOpenSocket(): boolean {
  const [AF_INET, SOCK_STREAM] = [2, 1];
  const socket = symbols.socket(AF_INET, SOCK_STREAM, 0);
  if (socket >= 0) symbols.close(socket);
  return socket >= 0;
}

/** Whether this thread can leave its namespaces. It asks to leave none, which the kernel itself allows. */
export const canLeaveNamespaces = (): boolean => symbols.unshare(0) === 0;

/** Applies a filter of system calls (see seccomp.ts) to this thread and what it executes. */
export function filterCalls(program: Buffer): boolean {
  const header = Buffer.alloc(16);
  header.writeUInt16LE(program.length / 8, 0);
  header.writeBigUInt64LE(BigInt(ptr(pin(program))), 8);
  return symbols.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ptr(pin(header)), 0, 0) === 0;
}

/** Opens a path only to name it. Returns a file descriptor; null where it does not exist. */
export function openPath(path: string): number | null {
  const descriptor = symbols.open(ptr(cString(path)), O_PATH | O_CLOEXEC);
  return descriptor < 0 ? null : descriptor;
}

/** The version of Landlock that the kernel offers; 0 for none. */
export const landlockVersion = (): number =>
  Math.max(
    0,
    Number(symbols.syscall(LANDLOCK_CREATE_RULESET, 0, 0, LANDLOCK_CREATE_RULESET_VERSION, 0)),
  );

/** Returns a descriptor of a new ruleset; -1 where the kernel refuses. */
export const createRuleset = (attributes: BigUint64Array): number =>
  Number(
    symbols.syscall(LANDLOCK_CREATE_RULESET, ptr(pin(attributes)), attributes.byteLength, 0, 0),
  );

/** Allows `rights` beneath an open path. */
export function addPathRule(ruleset: number, rights: bigint, descriptor: number): boolean {
  const rule = Buffer.alloc(12);
  rule.writeBigUInt64LE(rights, 0);
  rule.writeInt32LE(descriptor, 8);
  const args = [ruleset, LANDLOCK_RULE_PATH_BENEATH, ptr(pin(rule)), 0] as const;
  return Number(symbols.syscall(LANDLOCK_ADD_RULE, ...args)) === 0;
}

export const restrictSelf = (ruleset: number): boolean =>
  Number(symbols.syscall(LANDLOCK_RESTRICT_SELF, ruleset, 0, 0, 0)) === 0;

/**
 * Prepares the replacement of this program by another one, with the same environment. Returns the function
 * that does it: it allocates nothing, and returns the error's number only where it fails.
 */
export function prepareExecution(command: string[]): () => number {
  const words = new BigUint64Array(command.length + 1);
  for (const [index, word] of command.entries()) words[index] = BigInt(ptr(cString(word)));
  const program = ptr(cString(command[0] ?? ''));
  const argv = ptr(pin(words));
  return () => {
    symbols.execv(program, argv);
    return lastError();
  };
}
