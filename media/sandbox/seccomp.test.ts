import { describe, expect, test } from 'bun:test';
import { socketFilter } from './seccomp.ts';

const [ALLOWED, REFUSED] = [0x7fff_0000, 0x0005_000d];
const [X64, ARM64, I386] = [0xc000_003e, 0xc000_00b7, 0x4000_0003];

/** Runs classic BPF on the two words of struct seccomp_data that the filter reads. */
function verdict(program: Buffer, data: { number: number; architecture: number }): number {
  let word = 0;
  for (let at = 0; ; at += 1) {
    const code = program.readUInt16LE(at * 8);
    const [ifTrue = 0, ifFalse = 0] = program.subarray(at * 8 + 2, at * 8 + 4);
    const value = program.readUInt32LE(at * 8 + 4);
    if (code === 0x20) word = value === 0 ? data.number : data.architecture;
    else if (code === 0x06) return value;
    else if (code === 0x15) at += word === value ? ifTrue : ifFalse;
    else if (code === 0x35) at += word >= value ? ifTrue : ifFalse;
    else throw new Error(`unknown instruction ${code}`);
  }
}

describe.each([
  ['x64', X64, { socket: 41, socketpair: 53, read: 0 }],
  ['arm64', ARM64, { socket: 198, socketpair: 199, read: 63 }],
] as const)('the filter of %s', (arch, architecture, calls) => {
  const program = socketFilter(arch) ?? Buffer.alloc(0);

  test.each([
    ['refuses sockets', calls.socket, REFUSED],
    ['refuses rings, which can open sockets', 425, REFUSED],
    ['allows pairs of sockets', calls.socketpair, ALLOWED],
    ['allows to read', calls.read, ALLOWED],
  ])('%s', (_, number, expected) => {
    expect(verdict(program, { number, architecture })).toBe(expected);
  });

  test('refuses all calls of another architecture, which numbers them differently', () => {
    for (const other of [X64, ARM64, I386].filter((one) => one !== architecture)) {
      expect(verdict(program, { number: calls.read, architecture: other })).toBe(REFUSED);
    }
  });
});

test('the filter of x64 refuses the calls of its x32 ABI', () => {
  const program = socketFilter('x64') ?? Buffer.alloc(0);
  expect(verdict(program, { number: 0x4000_0000 + 41, architecture: X64 })).toBe(REFUSED);
});

test('there is no filter for an architecture whose numbers are unknown', () => {
  expect(socketFilter('riscv64')).toBeNull();
});
