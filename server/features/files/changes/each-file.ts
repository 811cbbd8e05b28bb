import type { BulkResultWire } from '../../../contract/wire.ts';
import { AppError } from '../../../errors.ts';

/** The server is at fault for other errors, and they end the call. */
const isAboutFile = (error: unknown): error is AppError =>
  error instanceof AppError && [404, 409, 422].includes(error.status);

/** The files of a call, by their ids. */
type Files = {
  ids: string[];
  /** Is called between two files. */
  keepConnected: () => void;
};

/** Changes the files of a call, each in a transaction of its own, and returns what became of each; see `changeEach`. */
export async function changeApart(
  { ids, keepConnected }: Files,
  change: (id: string) => Promise<unknown>,
  isAboutOne?: (error: unknown) => error is AppError,
): Promise<BulkResultWire> {
  const connected = (id: string) => {
    keepConnected();
    return change(id);
  };
  return { data: await changeEach(new Set(ids), connected, isAboutOne) };
}

/**
 * Changes files one after the other, and returns what became of each. One that can't be changed leaves the others alone.
 * @param isAboutOne whether an error concerns only the file that is being changed; any other is thrown
 */
export async function changeEach(
  ids: Iterable<string>,
  change: (id: string) => Promise<unknown>,
  isAboutOne: (error: unknown) => error is AppError = isAboutFile,
): Promise<BulkResultWire['data']> {
  const results: BulkResultWire['data'] = [];
  for (const id of ids) {
    try {
      await change(id);
      results.push({ id, error: null });
    } catch (error) {
      if (!isAboutOne(error)) throw error;
      results.push({ id, error: { code: error.code, message: error.text } });
    }
  }
  return results;
}
