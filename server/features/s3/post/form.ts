import { KIB, MIB, MINUTE } from '../../../contract/limits.ts';
import { AppError } from '../../../errors.ts';
import { readMultipart } from '../../uploads/service.ts';
import { S3Error } from '../errors.ts';
import type { S3Request } from '../request.ts';
import type { FormFields } from './policy.ts';

/** So much of a form is read before somebody's policy allows it, or after it was refused. */
const MAX_UNACCEPTED_BYTES = MIB;
/** And for so long. Anybody could otherwise hold connections, with what has arrived of their forms, by a byte a minute. */
const MAX_UNACCEPTED_MS = MINUTE;
const LIMITS = {
  ...{ fields: 100, files: 1, parts: 101 },
  ...{ fieldSize: 64 * KIB, fieldNameSize: 256 },
};

/** The file of a form, with the fields before it. */
type FormFile = { fields: FormFields; body: AsyncIterable<Uint8Array> };

/** Says that a form may send all of its file. */
type Accept = () => void;

/**
 * Reads the form of a browser as a stream (RFC 7578). Only the part `file` is a file, and what comes after it has no
 * meaning. Throws S3Error, and what `receive` throws.
 * @param receive reads the file to its end, once it has accepted the form
 */
export async function readForm(
  { headers, body }: Pick<S3Request, 'headers' | 'body'>,
  maxBytes: number,
  receive: (file: FormFile, accept: Accept) => Promise<void>,
  { unacceptedMs = MAX_UNACCEPTED_MS }: { unacceptedMs?: number } = {},
): Promise<void> {
  let isAccepted = false;
  let hasFile = false;
  let refusal: unknown;
  const ending = new AbortController();
  const end = () => ending.abort(tooSlow());
  let timer = setTimeout(end, unacceptedMs);
  const accept = () => {
    isAccepted = true;
    clearTimeout(timer);
  };
  const limited = body && limitedUntil(body, () => isAccepted, ending.signal);
  const onFile = async ({ fileName, fields, body: bytes }: Part) => {
    hasFile = true;
    try {
      await receive({ fields: toFormFields(fields, fileName ?? ''), body: bytes }, accept);
    } catch (error) {
      refusal = error;
      if (isAccepted) timer = setTimeout(end, unacceptedMs);
      isAccepted = false;
      throw error;
    }
  };
  try {
    await readMultipart(
      { headers, body: limited },
      {
        maxBytes,
        caller: { recheck: async () => {}, keepConnected: () => {} },
        ...{ timeoutMs: null, onFile },
        parser: { limits: LIMITS, isPartAFile: (name) => name?.toLowerCase() === 'file' },
      },
    );
  } catch (error) {
    // A file that is cut off fails where it is read, too.
    const isRefused = refusal instanceof S3Error || refusal instanceof AppError;
    if (isRefused) throw refusal;
    throw ending.signal.aborted ? ending.signal.reason : toFormError(error);
  } finally {
    clearTimeout(timer);
  }
  if (hasFile) return;
  throw new S3Error('InvalidArgument', 'The form needs one file, in the field file.', {
    ArgumentName: 'file',
  });
}

type Part = Parameters<Parameters<typeof readMultipart>[1]['onFile']>[0];

/** Returns the error for a form that the parser has refused; others as they are. */
const toFormError = (error: unknown) =>
  error instanceof AppError && error.code === 'bad-request'
    ? new S3Error('MalformedPOSTRequest', error.text)
    : error;

/** Passes a body on until it is ended, of which only so much is read while a form is not accepted. */
const limitedUntil = (
  body: ReadableStream<Uint8Array>,
  isAccepted: () => boolean,
  signal: AbortSignal,
) => {
  let bytes = 0;
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(piece, controller) {
        if (!isAccepted() && bytes >= MAX_UNACCEPTED_BYTES) {
          controller.error(tooLong());
          return;
        }
        bytes += piece.byteLength;
        controller.enqueue(piece);
      },
    }),
    { signal },
  );
};

const tooLong = () =>
  new S3Error(
    'MaxPostPreDataLengthExceeded',
    'The fields of the form before its file are too long.',
  );

const tooSlow = () =>
  new S3Error('RequestTimeout', 'The form, up to its file, took too long to arrive.');

// biome-ignore lint/suspicious/noTemplateCurlyInString: it is the variable of forms
const FILE_NAME = '${filename}';

/**
 * Returns fields by their names in lower case, in which `${filename}` is the name of the file on the client, without
 * its folders. It has taken its place before the policy is applied, so no name leads out of what that allows. A long
 * name in place of thousands of variables would take gigabytes. Throws MaxPostPreDataLengthExceeded.
 */
function toFormFields(fields: ReadonlyMap<string, string>, fileName: string): FormFields {
  const name = fileName.split(/[\\/]/).at(-1) ?? '';
  let length = 0;
  return new Map(
    [...fields].map(([field, value]) => {
      const between = field.toLowerCase() === 'policy' ? [value] : value.split(FILE_NAME);
      length += value.length + (between.length - 1) * name.length;
      if (length > MAX_UNACCEPTED_BYTES) throw tooLong();
      return [field.toLowerCase(), between.join(name)];
    }),
  );
}
