import type { BulkResultWire } from '../../../contract/wire.ts';
import { AppError } from '../../../errors.ts';

/** The server is at fault for other errors, and they end the call. */
const isAboutFile = (error: unknown): error is AppError =>
  error instanceof AppError && [404, 409, 422].includes(error.status);

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
