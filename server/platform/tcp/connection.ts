import { closeSync } from 'node:fs';
import { type LibC, openLibC, parsePeer, parseTcpInfo, type TcpInfo } from './libc.ts';

/** A client's end of a connection, as Bun reports it. */
export type Peer = { address: string; port: number };
/** The part of Bun's server that knows the connection of a request. */
export type ConnectionServer = {
  port?: number | undefined;
  requestIP(request: Request): Peer | null;
};

/**
 * How many descriptors are tried on either side of the lowest that is free, which is the one that the next
 * connection gets. A new connection is mostly the first or second; all of them take about 1 ms.
 */
const MAX_SEARCH_DISTANCE = 2048;

/**
 * A second descriptor of a connection that Bun serves. With it, the kernel's counts can be read even after
 * Bun has closed its own. It must be closed, because until then the connection stays open.
 */
export class TcpConnection {
  constructor(
    private readonly libc: LibC,
    private readonly descriptor: number,
    private readonly original: number,
    private readonly peer: Peer,
  ) {}

  info(): TcpInfo {
    const unknown = { written: 0, acknowledged: 0, isClosed: true };
    return parseTcpInfo(this.libc, this.descriptor) ?? unknown;
  }

  /** Whether Bun still has the connection open. */
  isServed(): boolean {
    return isOf(this.libc, this.original, this.peer);
  }

  close(): void {
    closeSync(this.descriptor);
  }

  /** Returns the descriptor to a caller who closes it. */
  release(): number {
    return this.descriptor;
  }
}

let libc: LibC | null | undefined;
/** The descriptor that last had a client's port: at most 65,536 numbers, each verified before use. */
const descriptors = new Map<number, number>();

/**
 * Finds the connection of a request. Returns null where it can't be found: outside Linux, behind a Unix
 * socket, or when the client has gone. Bun does not expose the descriptors of its sockets.
 */
export function findConnection(request: Request, server: ConnectionServer): TcpConnection | null {
  libc ??= openLibC();
  const peer = libc && server.requestIP(request);
  if (!libc || !peer || server.port === undefined) return null;
  const original = findDescriptor(libc, peer, server.port);
  if (original === null) return null;
  const descriptor = libc.duplicate(original);
  if (descriptor < 0) return null;
  const connection = new TcpConnection(libc, descriptor, original, peer);
  if (parseTcpInfo(libc, descriptor)) return connection;
  connection.close();
  return null;
}

function findDescriptor(libc: LibC, peer: Peer, localPort: number): number | null {
  const isRight = (descriptor: number) =>
    isOf(libc, descriptor, peer) && libc.localPort(descriptor) === localPort;
  const known = descriptors.get(peer.port);
  if (known !== undefined && isRight(known)) return known;
  const start = libc.lowestFree();
  for (let distance = 0; distance <= MAX_SEARCH_DISTANCE; distance++) {
    for (const candidate of [start - distance, start + distance]) {
      if (candidate < 0 || !isRight(candidate)) continue;
      descriptors.set(peer.port, candidate);
      return candidate;
    }
  }
  return null;
}

/** Whether a descriptor is the connection to a client. */
const isOf = (libc: LibC, descriptor: number, peer: Peer): boolean =>
  libc.peerPort(descriptor) === peer.port && parsePeer(libc) === normalize(peer.address);

/** Bun prints an IPv4 address as IPv6 where it listens to both. */
const normalize = (address: string) => address.replace(/^::ffff:(?=\d+\.)/, '');
