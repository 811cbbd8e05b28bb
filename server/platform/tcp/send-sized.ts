import { freeBytes } from '../free-bytes.ts';
import { type ConnectionServer, findConnection } from './connection.ts';

/** How long a client may take nothing before it is disconnected. */
const IDLE_TIMEOUT_SECONDS = 120;

/**
 * Sends a response whose length is known and whose body is a stream, for which Bun leaves out Content-Length
 * (oven-sh/bun#10507), so that browsers would show no progress. It takes the connection over, and closes it at the end.
 * @param response.headers contain Content-Length; the body has as many bytes or fails, which cuts the connection
 * @returns null where the connection can't be found; else a promise that resolves once all was handed over or the
 *   client has left, and rejects with the error of the body
 */
export function sendSized(
  request: Request,
  server: ConnectionServer & { timeout(request: Request, seconds: number): void },
  { headers, body }: { headers: Headers; body: ReadableStream<Uint8Array> },
): Promise<void> | null {
  const connection = findConnection(request, server);
  if (!connection) return null;
  // Bun sees no byte of this response, and would take the connection for an idle one.
  server.timeout(request, 0);
  const sender = new Sender(body.getReader(), headOf(headers));
  return sender.sendTo(connection.release());
}

function headOf(headers: Headers): Uint8Array {
  const lines = [...headers].map(([name, value]) => `${name}: ${value}`);
  const date = new Date().toUTCString();
  return new TextEncoder().encode(
    `HTTP/1.1 200 OK\r\n${lines.join('\r\n')}\r\ndate: ${date}\r\nconnection: close\r\n\r\n`,
  );
}

type Socket = Bun.Socket<undefined>;

/** Writes a head and a body to a socket, one piece at a time, as fast as the client takes them. */
class Sender {
  private readonly ended = Promise.withResolvers<void>();
  private wake: (() => void) | null = null;
  private isClosed = false;

  constructor(
    private readonly reader: ReadableStreamDefaultReader<Uint8Array>,
    private readonly head: Uint8Array,
  ) {}

  /** @param descriptor of the connection; the socket closes it */
  async sendTo(descriptor: number): Promise<void> {
    const close = () => {
      this.isClosed = true;
      this.wake?.();
      this.ended.resolve();
    };
    const socket = await Bun.connect({
      fd: descriptor,
      socket: {
        // What a client sends behind its request is for nobody.
        data: () => {},
        drain: () => this.wake?.(),
        timeout: (idle: Socket) => idle.terminate(),
        close,
        error: close,
      },
    } as unknown as Bun.TCPSocketConnectOptions<undefined>);
    socket.timeout(IDLE_TIMEOUT_SECONDS);
    try {
      await this.write(socket, this.head);
      for (;;) {
        const { done, value } = await this.reader.read();
        if (done || this.isClosed) break;
        await this.write(socket, value);
        freeBytes(value);
      }
      if (this.isClosed) await this.reader.cancel();
    } finally {
      // Bun has another descriptor of the connection, which stays open when this one is closed. Nothing can be sent
      // through either behind this, and a client that has fewer bytes than the length knows that they aren't whole.
      if (!this.isClosed) socket.shutdown();
      socket.end();
    }
    await this.ended.promise;
  }

  private async write(socket: Socket, bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.byteLength && !this.isClosed; ) {
      const written = socket.write(bytes, at, bytes.byteLength - at);
      if (written < 0) return;
      at += written;
      if (written > 0) socket.timeout(IDLE_TIMEOUT_SECONDS);
      if (at >= bytes.byteLength) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.wake = resolve;
      // It may have drained or closed before anybody listened.
      if (this.isClosed) resolve();
      await promise;
      this.wake = null;
    }
  }
}
