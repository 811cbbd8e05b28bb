import { MIB, UPLOAD_TTL_MS } from '../../../contract/limits.ts';
import { joinChunks, keepChunk } from '../../../contract/streams.ts';
import { type AppError, badRequest, conflict, tooLarge } from '../../../errors.ts';
import type { Caller } from '../../tokens/guard.ts';
import { whileReceiving } from '../receiving.ts';
import type { FormParserOptions } from './form-parser.ts';
import { boundaryOf, partsOfSmallForm, SMALL_FORM_BYTES } from './small-form.ts';
import {
  type Arrive,
  type FilePart,
  isOurs,
  malformed,
  type OnFile,
  readStreamed,
} from './streamed-form.ts';

export type { FilePart };

/**
 * Returns the error for a file without bytes. A browser sends a file field in which nothing was chosen as one
 * without a name, and `missing` says that there is no file.
 */
export const withoutBytes = ({ fileName }: FilePart, missing: string) =>
  badRequest(fileName ? 'The file is empty.' : missing, 'no-file');

/** How many bytes the headers, boundaries and fields of a form may add to its files. */
export const MAX_OVERHEAD_BYTES = MIB;
/**
 * The bytes of a form count for its account as long. A client that sends as slowly as it likes could
 * otherwise store bytes that nobody counts.
 */
export const FORM_TIMEOUT_MS = UPLOAD_TTL_MS;
const TOO_LARGE = 'The form is too large.';

type FormRequest = { headers: Headers; body: ReadableStream<Uint8Array> | null };
type FormOptions = {
  maxBytes: number;
  /** Who sends the form. */
  caller: Pick<Caller, 'recheck' | 'keepConnected'>;
  /** The message for a form that is larger. */
  tooLarge?: string;
  /** How long the form may take; null for as long as bytes arrive. */
  timeoutMs?: number | null;
  /** What the parser accepts, where it isn't what our own forms are made of. */
  parser?: FormParserOptions;
  onFile: OnFile;
};

/**
 * Reads a form (RFC 7578), one file at a time, as a stream unless it is small. `onFile` must read the body to its end
 * or throw. Resolves with all fields when the whole form has been read and every `onFile` has settled.
 * Throws AppError, conflict after a day, and the first error of an `onFile`
 * before any other.
 */
export async function readMultipart(
  request: FormRequest,
  options: FormOptions,
): Promise<ReadonlyMap<string, string>> {
  const maxBytes = options.maxBytes + MAX_OVERHEAD_BYTES;
  const length = contentLength(request);
  const limits = { maxBytes, tooLarge: () => tooLarge(options.tooLarge ?? TOO_LARGE) };
  if ((length ?? 0) > maxBytes) throw limits.tooLarge();
  const { body } = request;
  if (!body) throw badRequest('The body is empty. Send a multipart/form-data form.');
  const expiry = new AbortController();
  const expire = () => expiry.abort(conflict('The upload took too long. Try again.'));
  const { timeoutMs = FORM_TIMEOUT_MS } = options;
  const timer = timeoutMs === null ? undefined : setTimeout(expire, timeoutMs);
  const arrive: Arrive = (read) =>
    whileReceiving(options.caller, ({ ended, onBytes }) =>
      read(arriving(body, limits, [ended, expiry.signal], onBytes)),
    );
  const isSmall = length !== null && length <= SMALL_FORM_BYTES && !options.parser;
  const boundary = isSmall ? boundaryOf(request.headers.get('content-type') ?? '') : null;
  try {
    if (boundary === null) return await readStreamed(request, options, arrive);
    return await readCollected(request, options, boundary, arrive);
  } finally {
    clearTimeout(timer);
  }
}

/** Reads a form once all of it is there. Node's streams and the parser would take as long as all else of a small upload. */
async function readCollected(
  request: FormRequest,
  options: FormOptions,
  boundary: string,
  arrive: Arrive,
): Promise<ReadonlyMap<string, string>> {
  const bytes = await arrive(collect).catch((error) => {
    throw isOurs(error) ? error : malformed();
  });
  const parts = partsOfSmallForm(boundary, bytes);
  if (!parts) return readStreamed(request, options, (read) => read(once(bytes)));
  const fields = new Map<string, string>();
  for (const { name, fileName, bytes } of parts) {
    if (fileName === undefined) fields.set(name, bytes.toString());
    else
      await options.onFile({ field: name, fileName, body: once(bytes), fields: new Map(fields) });
  }
  return fields;
}

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const kept: Uint8Array[] = [];
  for await (const chunk of chunks) keepChunk(kept, chunk);
  return joinChunks(kept);
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.byteLength > 0) yield bytes;
}

/** Returns how many bytes the body of a request has; null where it does not say. */
export function contentLength({ headers }: Pick<Request, 'headers'>): number | null {
  const length = headers.get('content-length');
  return length === null ? null : Number(length);
}

/**
 * Yields a body as it arrives. Throws the reason of the first signal that aborts, also while nothing arrives, and
 * what `tooLarge` returns as soon as a body without Content-Length is larger than `maxBytes`.
 */
async function* arriving(
  body: ReadableStream<Uint8Array>,
  { maxBytes, tooLarge }: { maxBytes: number; tooLarge: () => AppError },
  signals: AbortSignal[],
  onBytes: () => void,
): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  const cancel = () => void reader.cancel().catch(() => {});
  for (const signal of signals) signal.addEventListener('abort', cancel);
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      for (const signal of signals) signal.throwIfAborted();
      if (done) return;
      bytes += value.byteLength;
      onBytes();
      if (bytes > maxBytes) throw tooLarge();
      yield value;
    }
  } finally {
    for (const signal of signals) signal.removeEventListener('abort', cancel);
    cancel();
  }
}
