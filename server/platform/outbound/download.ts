import type { IncomingMessage } from 'node:http';
import { abortable } from './abortable.ts';
import { requestTo, tryAddresses } from './connection.ts';
import { DownloadError } from './download-error.ts';
import { failureText } from './failure-text.ts';
import { AddressRefusedError, checkedAddresses, type Resolve } from './ssrf-policy.ts';
import { StalledError, StallGuard } from './stall-guard.ts';

/** What a server sends for a URL. */
export type Download = {
  /** The URL after all redirects. */
  url: URL;
  /** The header of this name, as it was sent; null without. */
  disposition: string | null;
  /** How many bytes there are; null where the server doesn't say. */
  length: number | null;
  /** Fails with DownloadError where not all of them come. It must be read to its end, or `close` called. */
  body: AsyncIterable<Uint8Array>;
  close: () => void;
};

/**
 * Requests a URL that a user has chosen. Throws DownloadError where it does not lead to a file, and what the signal
 * aborts with.
 */
export type OpenDownload = (url: URL, signal: AbortSignal) => Promise<Download>;

const MAX_REDIRECTS = 5;
const REDIRECTS = [301, 302, 303, 307, 308];

type Options = {
  /** Whether private addresses are allowed. */
  allowPrivate: boolean;
  resolve: Resolve;
  /** Certificates in PEM to trust instead of the system's. */
  ca?: string;
  stallMs?: number;
  /** Judges each host, also those of redirects. */
  findAddresses?: typeof checkedAddresses;
};

/** Returns the function that opens downloads. Each redirect is judged as the URL itself is. */
export function createDownload(options: Options): OpenDownload {
  return async (url, signal) => {
    const ending = new AbortController();
    const onAbort = () => ending.abort(signal.reason);
    signal.throwIfAborted();
    signal.addEventListener('abort', onAbort, { once: true });
    const close = () => {
      signal.removeEventListener('abort', onAbort);
      ending.abort();
    };
    const guard = new StallGuard((error) => ending.abort(error), options.stallMs);
    try {
      const found = await followRedirects(url, { ...options, guard, signal: ending.signal });
      const length = lengthOf(found.response);
      // The error of a request that is aborted behind its last read would otherwise end the process.
      found.response.on('error', () => {});
      const body = readBody(found.response, { length, guard, signal, close });
      const disposition = found.response.headers['content-disposition'] ?? null;
      return { url: found.url, disposition, length, body, close };
    } catch (error) {
      close();
      signal.throwIfAborted();
      throw toDownloadError(error);
    }
  };
}

type Following = Options & { guard: StallGuard; signal: AbortSignal };

async function followRedirects(
  first: URL,
  options: Following,
): Promise<{ url: URL; response: IncomingMessage }> {
  let url = first;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    requireAllowed(url, options);
    const response = await options.guard.wait(get(url, options));
    const { statusCode = 0, headers } = response;
    if (!REDIRECTS.includes(statusCode) || headers.location === undefined) {
      requireFile(response);
      return { url, response };
    }
    response.destroy();
    if (!URL.canParse(headers.location, url)) {
      throw new DownloadError('The server redirects to something that is not a URL.');
    }
    url = new URL(headers.location, url);
  }
  throw new DownloadError(`The server redirects more than ${MAX_REDIRECTS} times.`);
}

const MIN_FREE_PORT = 1024;
const WEB_PORTS = ['', '80', '443'];

/** The ports below 1024 are those of other protocols, such as mail, in which a request could be taken for a command. */
const isWebPort = (port: string) => WEB_PORTS.includes(port) || Number(port) >= MIN_FREE_PORT;

/** Throws DownloadError for a URL that is not requested, whatever its host. */
function requireAllowed(url: URL, { allowPrivate }: Pick<Options, 'allowPrivate'>): void {
  if (!['http:', 'https:'].includes(url.protocol)) {
    throw new DownloadError('Only http and https URLs can be downloaded.');
  }
  if (url.username || url.password) {
    throw new DownloadError("The URL can't contain a user name or a password.");
  }
  if (!allowPrivate && !isWebPort(url.port)) {
    throw new DownloadError('The port of the URL must be 80, 443, or 1024 and above.');
  }
}

async function get(url: URL, options: Following): Promise<IncomingMessage> {
  const { signal, ca, findAddresses = checkedAddresses } = options;
  const addresses = await abortable(findAddresses(url, options), signal);
  // A coding would hide how many bytes there are, and be stored as if it were the file.
  const headers = { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'Wharf-Import' };
  return tryAddresses(
    addresses,
    (address) =>
      new Promise((resolve, reject) => {
        const request = requestTo(address, url, {
          ...{ method: 'GET', headers, signal },
          ...(ca && { ca }),
        });
        request.on('response', resolve);
        request.on('error', reject);
        request.on('upgrade', (_, socket) => {
          socket.destroy();
          reject(new DownloadError('The server did not send a file.'));
        });
        request.end();
      }),
  );
}

/** Throws DownloadError for a response that is no file. */
function requireFile(response: IncomingMessage): void {
  const { statusCode, headers } = response;
  if (statusCode !== 200) throw new DownloadError(`The server responded with ${statusCode}.`);
  const coding = headers['content-encoding'] ?? 'identity';
  if (coding.trim().toLowerCase() === 'identity') return;
  throw new DownloadError('The server sent the file compressed, although it was asked not to.');
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
    throw error instanceof StalledError || error instanceof DownloadError
      ? toDownloadError(error)
      : cutOff(error);
  } finally {
    close();
  }
}

const cutOff = (cause?: unknown) =>
  new DownloadError('The connection was closed before the whole file arrived.', { cause });

function toDownloadError(error: unknown): DownloadError {
  if (error instanceof DownloadError) return error;
  const isOwn = error instanceof AddressRefusedError || error instanceof StalledError;
  return new DownloadError(isOwn ? error.message : failureText(error), { cause: error });
}
