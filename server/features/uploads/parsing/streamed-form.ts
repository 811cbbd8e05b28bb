import { pipeline } from 'node:stream/promises';
import type { BusboyFileStream, BusboyInstance } from '@fastify/busboy';
import { AppError, badRequest } from '../../../errors.ts';
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

export type OnFile = (part: FilePart) => Promise<void>;

/** Lets something read a body while it arrives. Throws why it must not go on, or what the body fails with. */
export type Arrive = <Result>(
  read: (chunks: AsyncIterable<Uint8Array>) => Promise<Result>,
) => Promise<Result>;

/** Reads a form while it arrives, as `readMultipart` does. */
export async function readStreamed(
  request: { headers: Headers },
  { onFile, parser: options }: { onFile: OnFile; parser?: FormParserOptions },
  arrive: Arrive,
): Promise<ReadonlyMap<string, string>> {
  const form = new Form(onFile);
  const parser = await createFormParser(request, options);
  form.listen(parser);
  try {
    await arrive((chunks) => pipeline(chunks, parser));
  } catch (error) {
    throw await form.abort(error);
  }
  await form.end();
  return form.fields;
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
    return malformed();
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

export const isOurs = (error: unknown) => error instanceof AppError;

export const malformed = () => badRequest('The form is incomplete or malformed.');
