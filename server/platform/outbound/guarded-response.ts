import type { IncomingMessage } from 'node:http';
import { abortable } from './abortable.ts';
import { requestTo, tryAddresses } from './connection.ts';
import { DownloadError } from './download-error.ts';
import { checkedAddresses, type Resolve } from './ssrf-policy.ts';
import { StalledError, StallGuard } from './stall-guard.ts';

/** What users may reach through this server, and how long it waits for it. */
export type GuardOptions = {
  /** Whether private addresses are allowed. */
  allowPrivate: boolean;
  resolve: Resolve;
  /** Certificates in PEM to trust instead of the system's. */
  ca?: string;
  stallMs?: number;
  /** Judges each host, also those of redirects. */
  findAddresses?: typeof checkedAddresses;
};

/** A response whose body is read under guard. */
export type GuardedResponse = {
  /** How many bytes the body has; null where the server doesn't say. */
  length: number | null;
  /** Fails with DownloadError where not all of it comes. It must be read to its end, or `close` called. */
  body: AsyncIterable<Uint8Array>;
  close: () => void;
};

/** What a request needs that is under guard. */
export type Guarded = { guard: StallGuard; signal: AbortSignal };

/**
 * Opens a response, and returns it with its body. Throws what `open` does, and what the signal aborts with.
 * @param open begins requests until it has the response, each of which ends with the signal that it gets
 */
export async function openGuarded<Opened extends { response: IncomingMessage }>(
  signal: AbortSignal,
  stallMs: number | undefined,
  open: (guarded: Guarded) => Promise<Opened>,
): Promise<Opened & GuardedResponse> {
  signal.throwIfAborted();
  const ending = new AbortController();
  const onAbort = () => ending.abort(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  const close = () => {
    signal.removeEventListener('abort', onAbort);
    ending.abort();
  };
  const guard = new StallGuard((error) => ending.abort(error), stallMs);
  try {
    const opened = await open({ guard, signal: ending.signal });
    const { response } = opened;
    // The error of a request that is aborted behind its last read would otherwise end the process.
    response.on('error', () => {});
    const length = lengthOf(response);
    return { ...opened, length, body: readBody(response, { length, guard, signal, close }), close };
  } catch (error) {
    close();
    signal.throwIfAborted();
    throw error;
  }
}

/**
 * Sends a GET to a URL, at an address that was judged. Throws AddressRefusedError, and what connections do.
 * @param options.target the path and query where they must not be normalised as those of the URL are
 */
export async function getGuarded(
  url: URL,
  {
    guard,
    ...options
  }: GuardOptions & Guarded & { headers: Record<string, string>; target?: string },
): Promise<IncomingMessage> {
  const { findAddresses = checkedAddresses } = options;
  const get = async () => {
    const addresses = await abortable(findAddresses(url, options), options.signal);
    return tryAddresses(addresses, (address) => getFrom(address, url, options));
  };
  return guard.wait(get());
}

function getFrom(
  address: string,
  url: URL,
  {
    headers,
    signal,
    ca,
    target,
  }: GuardOptions & { headers: Record<string, string>; signal: AbortSignal; target?: string },
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = requestTo(address, url, {
      ...{ method: 'GET', headers, signal },
      ...(ca && { ca }),
      ...(target && { target }),
    });
    request.on('response', resolve);
    request.on('error', reject);
    request.on('upgrade', (_, socket) => {
      socket.destroy();
      reject(new DownloadError('The server did not send a file.'));
    });
    request.end();
  });
}

function lengthOf({ headers }: IncomingMessage): number | null {
  const text = headers['content-length'];
  const isNumber = text !== undefined && /^\d{1,15}$/.test(text);
  return isNumber && headers['transfer-encoding'] === undefined ? Number(text) : null;
}

type Reading = { length: number | null; guard: StallGuard; signal: AbortSignal; close: () => void };

async function* readBody(
  response: IncomingMessage,
  { length, guard, signal, close }: Reading,
): AsyncGenerator<Uint8Array> {
  const chunks = response[Symbol.asyncIterator]();
  let received = 0;
  try {
    for (;;) {
      const next = await guard.wait(chunks.next());
      if (next.done) break;
      const bytes: Uint8Array = next.value;
      received += bytes.byteLength;
      guard.progress(bytes.byteLength);
      yield bytes;
    }
    if (!response.complete || (length !== null && received !== length)) throw cutOff();
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof StalledError) throw new DownloadError(error.message, { cause: error });
    throw error instanceof DownloadError ? error : cutOff(error);
  } finally {
    close();
  }
}

const cutOff = (cause?: unknown) =>
  new DownloadError('The connection was closed before the whole file arrived.', { cause });
