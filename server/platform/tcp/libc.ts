import { dlopen, ptr } from 'bun:ffi';
import { closeSync } from 'node:fs';
import ipaddr from 'ipaddr.js';

/** The numbers are those of Linux on x64 and arm64; see fcntl(2) and tcp(7). */
const F_DUPFD_CLOEXEC = 1030;
const IPPROTO_TCP = 6;
const TCP_INFO = 11;
const TCP_CLOSE = 7;
const AF_INET = 2;
/** A descriptor that is always open. */
const STDERR = 2;

/** Offsets in `struct sockaddr_in` and `sockaddr_in6`. */
const PORT_AT = 2;
const IPV4_AT = 4;
const IPV6_AT = 8;
/** Offsets in `struct tcp_info`. Kernels before 4.19 do not have the last two. */
const BYTES_ACKED_AT = 120;
const NOTSENT_BYTES_AT = 144;
const BYTES_SENT_AT = 200;
const BYTES_RETRANS_AT = 208;
const INFO_BYTES = 216;

/** The calls of the C library, with the memory into which they write. */
export type LibC = {
  /** Returns the port of the other end, or -1; the address is then in `address`. */
  peerPort(descriptor: number): number;
  localPort(descriptor: number): number;
  /** Reads TCP_INFO into `info`. Returns its length, or -1. */
  readInfo(descriptor: number): number;
  /** Returns a second descriptor, which children don't inherit, or -1. */
  duplicate(descriptor: number): number;
  /** Returns about where the descriptor of a new connection is: the lowest that is free. */
  lowestFree(): number;
  address: DataView;
  info: DataView;
};

/** What the kernel knows about the bytes that a connection has taken since it was opened. */
export type TcpInfo = {
  /** The bytes that were written to the connection. */
  written: number;
  /** The bytes whose arrival the other end has confirmed. */
  acknowledged: number;
  /** Whether the connection has ended. */
  isClosed: boolean;
};

/** Returns the calls, or null on other systems than Linux, and where the C library has another name. */
export function openLibC(): LibC | null {
  if (process.platform !== 'linux') return null;
  try {
    const { symbols } = dlopen('libc.so.6', {
      getpeername: { args: ['i32', 'ptr', 'ptr'], returns: 'i32' },
      getsockname: { args: ['i32', 'ptr', 'ptr'], returns: 'i32' },
      getsockopt: { args: ['i32', 'i32', 'i32', 'ptr', 'ptr'], returns: 'i32' },
      fcntl: { args: ['i32', 'i32', 'i32'], returns: 'i32' },
    });
    // A small typed array that was made without its buffer moves when the buffer is first read.
    const address = new Uint8Array(new ArrayBuffer(28));
    const info = new Uint8Array(new ArrayBuffer(256));
    const length = new Uint32Array(new ArrayBuffer(4));
    const view = new DataView(address.buffer);
    const [addressAt, infoAt, lengthAt] = [ptr(address), ptr(info), ptr(length)];
    const duplicate = (descriptor: number) => symbols.fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    const port = (call: typeof symbols.getpeername, descriptor: number) => {
      length[0] = address.length;
      return call(descriptor, addressAt, lengthAt) < 0 ? -1 : view.getUint16(PORT_AT);
    };
    return {
      peerPort: (descriptor) => port(symbols.getpeername, descriptor),
      localPort: (descriptor) => port(symbols.getsockname, descriptor),
      readInfo(descriptor) {
        length[0] = info.length;
        const result = symbols.getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, infoAt, lengthAt);
        return result < 0 ? -1 : Number(length[0]);
      },
      duplicate,
      lowestFree() {
        const free = duplicate(STDERR);
        if (free >= 0) closeSync(free);
        return Math.max(free, 0);
      },
      address: view,
      info: new DataView(info.buffer),
    };
  } catch {
    return null;
  }
}

/** Returns the address that `peerPort` has just read. */
export function parsePeer({ address }: LibC): string {
  const isIpv4 = address.getUint16(0, true) === AF_INET;
  const start = isIpv4 ? IPV4_AT : IPV6_AT;
  const bytes = new Uint8Array(address.buffer, start, isIpv4 ? 4 : 16);
  return ipaddr.process(ipaddr.fromByteArray([...bytes]).toString()).toString();
}

/** Returns the counts of a connection, or null where the kernel has none. */
export function parseTcpInfo(libc: LibC, descriptor: number): TcpInfo | null {
  if (libc.readInfo(descriptor) < INFO_BYTES) return null;
  const { info } = libc;
  const bytesAt = (offset: number) => Number(info.getBigUint64(offset, true));
  return {
    written:
      bytesAt(BYTES_SENT_AT) - bytesAt(BYTES_RETRANS_AT) + info.getUint32(NOTSENT_BYTES_AT, true),
    acknowledged: bytesAt(BYTES_ACKED_AT),
    isClosed: info.getUint8(0) === TCP_CLOSE,
  };
}
