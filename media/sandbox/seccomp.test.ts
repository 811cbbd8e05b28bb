import { describe, expect, test } from 'bun:test';
import { callFilter } from './seccomp.ts';

const [ALLOWED, REFUSED, UNKNOWN] = [0x7fff_0000, 0x0005_000d, 0x0005_0026];
const [X64, ARM64, I386] = [0xc000_003e, 0xc000_00b7, 0x4000_0003];

type Call = { number: number; architecture: number; first?: number };

/** Runs classic BPF on the words of struct seccomp_data that the filter reads. */
function verdict(program: Buffer, { number, architecture, first = 0 }: Call): number {
  const words = new Map([
    [0, number],
    [4, architecture],
    [16, first],
  ]);
  let word = 0;
  for (let at = 0; ; at += 1) {
    const code = program.readUInt16LE(at * 8);
    const [ifTrue = 0, ifFalse = 0] = program.subarray(at * 8 + 2, at * 8 + 4);
    const value = program.readUInt32LE(at * 8 + 4);
    if (code === 0x20) word = words.get(value) ?? Number.NaN;
    else if (code === 0x06) return value;
    else if (code === 0x15) at += word === value ? ifTrue : ifFalse;
    else if (code === 0x35) at += word >= value ? ifTrue : ifFalse;
    else if (code === 0x45) at += (word & value) !== 0 ? ifTrue : ifFalse;
    else throw new Error(`unknown instruction ${code}`);
  }
}

describe.each([
  ['x64', X64, { socket: 41, socketpair: 53, read: 0, clone: 56, unshare: 272, setns: 308 }],
  ['arm64', ARM64, { socket: 198, socketpair: 199, read: 63, clone: 220, unshare: 97, setns: 268 }],
] as const)('the filter of %s', (arch, architecture, calls) => {
  const program = callFilter(arch) ?? Buffer.alloc(0);

  test.each([
    ['refuses sockets', calls.socket, REFUSED],
    ['refuses rings, which can open sockets', 425, REFUSED],
    ['refuses to enter other namespaces', calls.setns, REFUSED],
    ['refuses to leave its namespaces', calls.unshare, REFUSED],
    ['has no newer way to start processes, whose flags it does not see', 435, UNKNOWN],
    ['allows pairs of sockets', calls.socketpair, ALLOWED],
    ['allows to read', calls.read, ALLOWED],
  ])('%s', (_, number, expected) => {
    expect(verdict(program, { number, architecture })).toBe(expected);
  });

  const [THREAD, FORK] = [0x3d_0f00, 0x120_0011];
  test.each([
    ['allows threads', THREAD, ALLOWED],
    ['allows processes', FORK, ALLOWED],
    ['refuses processes in a new user namespace', FORK + 0x1000_0000, REFUSED],
    ['refuses processes in a new network namespace', FORK + 0x4000_0000, REFUSED],
    ['refuses processes in a new mount namespace', FORK + 0x2_0000, REFUSED],
  ])('%s', (_, first, expected) => {
    expect(verdict(program, { number: calls.clone, architecture, first })).toBe(expected);
  });

  test('refuses all calls of another architecture, which numbers them differently', () => {
    for (const other of [X64, ARM64, I386].filter((one) => one !== architecture)) {
      expect(verdict(program, { number: calls.read, architecture: other })).toBe(REFUSED);
    }
  });
});

test('the filter of x64 refuses the calls of its x32 ABI', () => {
  const program = callFilter('x64') ?? Buffer.alloc(0);
  expect(verdict(program, { number: 0x4000_0000 + 41, architecture: X64 })).toBe(REFUSED);
});

test('there is no filter for an architecture whose numbers are unknown', () => {
  expect(callFilter('riscv64')).toBeNull();
});
