import { pipeline } from 'node:stream/promises';
import type { BusboyFileStream, BusboyInstance } from '@fastify/busboy';
import { MIB, UPLOAD_TTL_MS } from '../../../contract/limits.ts';
import { AppError, badRequest, conflict, tooLarge } from '../../../errors.ts';
import type { Caller } from '../../tokens/guard.ts';
import { whileReceiving } from '../receiving.ts';
import { createFormParser, type FormParserOptions } from './form-parser.ts';

export type FilePart = {
  /** The name of the form's field. */
  field: string;
  /** The client's name of the file; undefined where there is none. */
  fileName: string | undefined;
  body: AsyncIterable<Uint8Array>;
  /** The fields that came before this file. */
  fields: ReadonlyMap<string, string>;
};

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

type OnFile = (part: FilePart) => Promise<void>;

/**
 * Reads a form as a stream (RFC 7578), one file at a time. `onFile` must read the body to its end
 * or throw. Resolves with all fields when the whole form has been read and every `onFile` has settled.
 * Throws AppError, conflict after a day, and the first error of an `onFile`
 * before any other.
 */
export async function readMultipart(
  request: { headers: Headers; body: ReadableStream<Uint8Array> | null },
  options: {
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
  },
): Promise<ReadonlyMap<string, string>> {
  const limit = options.maxBytes + MAX_OVERHEAD_BYTES;
  const formTooLarge = tooLarge(options.tooLarge ?? TOO_LARGE);
  if ((contentLength(request) ?? 0) > limit) throw formTooLarge;
  if (!request.body) throw badRequest('The body is empty. Send a multipart/form-data form.');
  const form = new Form(options.onFile);
  const parser = await createFormParser(request, options.parser);
  form.listen(parser);
  const { body } = request;
  const expiry = new AbortController();
  const expire = () => expiry.abort(conflict('The upload took too long. Try again.'));
  const { timeoutMs = FORM_TIMEOUT_MS } = options;
  const timer = timeoutMs === null ? undefined : setTimeout(expire, timeoutMs);
  try {
    await whileReceiving(options.caller, ({ ended, onBytes }) => {
      const limits = { maxBytes: limit, tooLarge: formTooLarge };
      return pipeline(arriving(body, limits, [ended, expiry.signal], onBytes), parser);
    });
  } catch (error) {
    throw await form.abort(error);
  } finally {
    clearTimeout(timer);
  }
  await form.end();
  return form.fields;
}

/** Returns how many bytes the body of a request has; null where it does not say. */
export function contentLength({ headers }: Pick<Request, 'headers'>): number | null {
  const length = headers.get('content-length');
  return length === null ? null : Number(length);
}

/** The part of a form that has arrived so far. */
class Form {
  readonly fields = new Map<string, string>();
  private readonly open = new Set<BusboyFileStream>();
  private failure: unknown;
  /** Resolves when all files so far are handled, one after another. */
  private work = Promise.resolve();

  constructor(private readonly onFile: OnFile) {}

  listen(parser: BusboyInstance): void {
    parser.on('field', (name, value, nameCut, valueCut) => {
      if (nameCut || valueCut) this.fail(badRequest('A field is too long.'));
      else this.fields.set(name, value);
    });
    parser.on('file', (field, stream, fileName) => this.addFile(field, stream, fileName));
    for (const limit of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const) {
      parser.on(limit, () => this.fail(badRequest('The form has too many parts.')));
    }
  }

  /** Resolves when every file is handled. Throws the first failure. */
  async end(): Promise<void> {
    await this.work;
    if (this.failure) throw this.failure;
  }

  /** Ends the files of a form that was cut off, and returns the error to throw. */
  async abort(error: unknown): Promise<unknown> {
    for (const stream of this.open) stream.destroy(new Error('the form was cut off'));
    await this.work;
    if (isOurs(error)) return error;
    if (isOurs(this.failure)) return this.failure;
    return badRequest('The form is incomplete or malformed.');
  }

  private fail(error: unknown): void {
    this.failure ??= error;
  }

  private addFile(field: string, stream: BusboyFileStream, fileName: string | undefined): void {
    this.open.add(stream);
    // Without a listener, the error of a file that is cut off would end the process.
    stream.on('error', () => {});
    stream.on('close', () => this.open.delete(stream));
    // The fields behind a small file arrive with it, before it is handled.
    const fields = new Map(this.fields);
    // If the stream were destroyed when its reader stops half-way, the parser would wait for ever.
    const body = stream.iterator({ destroyOnReturn: false });
    this.work = this.work
      .then(async () => {
        if (this.failure) return;
        await this.onFile({ field, fileName, body, fields });
      })
      .catch((error: unknown) => this.fail(error))
      // The unread rest of a file must be drained, or the form never ends.
      .then(async () => {
        await body.return?.().catch(() => {});
        stream.resume();
      });
  }
}

const isOurs = (error: unknown) => error instanceof AppError;

/**
 * Yields a body as it arrives. Throws the reason of the first signal that aborts, also while nothing arrives, and
 * `tooLarge` as soon as a body without Content-Length is larger than `maxBytes`.
 */
async function* arriving(
  body: ReadableStream<Uint8Array>,
  { maxBytes, tooLarge }: { maxBytes: number; tooLarge: AppError },
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
      if (bytes > maxBytes) throw tooLarge;
      yield value;
    }
  } finally {
    for (const signal of signals) signal.removeEventListener('abort', cancel);
    cancel();
  }
}
