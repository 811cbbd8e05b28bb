import type { IncomingMessage } from 'node:http';
import { requireAllowedUrl } from './allowed-url.ts';
import { DownloadError } from './download-error.ts';
import { failureText } from './failure-text.ts';
import {
  type Guarded,
  type GuardedResponse,
  type GuardOptions,
  getGuarded,
  openGuarded,
} from './guarded-response.ts';
import { AddressRefusedError } from './ssrf-policy.ts';
import { StalledError } from './stall-guard.ts';

/** What a server sends for a URL. */
export type Download = GuardedResponse & {
  /** The URL after all redirects. */
  url: URL;
  /** The header of this name, as it was sent; null without. */
  disposition: string | null;
};

/**
 * Requests a URL that a user has chosen. Throws DownloadError where it does not lead to a file, and what the signal
 * aborts with.
 */
export type OpenDownload = (url: URL, signal: AbortSignal) => Promise<Download>;

const MAX_REDIRECTS = 5;
const REDIRECTS = [301, 302, 303, 307, 308];
/** A coding would hide how many bytes there are, and be stored as if it were the file. */
const HEADERS = { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'Wharf-Import' };

/** Returns the function that opens downloads. Each redirect is judged as the URL itself is. */
export function createDownload(options: GuardOptions): OpenDownload {
  return async (first, signal) => {
    try {
      const { url, response, ...download } = await openGuarded(signal, options.stallMs, (guarded) =>
        followRedirects(first, { ...options, ...guarded }),
      );
      const disposition = response.headers['content-disposition'] ?? null;
      return { ...download, url, disposition };
    } catch (error) {
      signal.throwIfAborted();
      throw toDownloadError(error);
    }
  };
}

async function followRedirects(
  first: URL,
  options: GuardOptions & Guarded,
): Promise<{ url: URL; response: IncomingMessage }> {
  let url = first;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    requireAllowedUrl(url, options);
    const response = await getGuarded(url, { ...options, headers: HEADERS });
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

/** Throws DownloadError for a response that is no file. */
function requireFile({ statusCode, headers }: IncomingMessage): void {
  if (statusCode !== 200) throw new DownloadError(`The server responded with ${statusCode}.`);
  const coding = headers['content-encoding'] ?? 'identity';
  if (coding.trim().toLowerCase() === 'identity') return;
  throw new DownloadError('The server sent the file compressed, although it was asked not to.');
}

/** Returns why nothing was downloaded, for the user who has chosen the URL. */
export function toDownloadError(error: unknown): DownloadError {
  if (error instanceof DownloadError) return error;
  const isOwn = error instanceof AddressRefusedError || error instanceof StalledError;
  return new DownloadError(isOwn ? error.message : failureText(error), { cause: error });
}
