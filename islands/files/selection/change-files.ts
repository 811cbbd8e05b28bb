import { BULK_MAX_FILES } from '../../../server/contract/limits.ts';
import type { BulkResultWire } from '../../../server/contract/wire.ts';

type Failure = NonNullable<BulkResultWire['data'][number]['error']>;

/**
 * Changes any number of files by calls for as many as one takes, and returns which of them could not be changed, by
 * id with the reason. Throws what a call throws.
 */
export async function changeFiles(
  files: readonly { id: string }[],
  send: (ids: string[]) => Promise<BulkResultWire>,
): Promise<Map<string, Failure>> {
  const failures = new Map<string, Failure>();
  for (let at = 0; at < files.length; at += BULK_MAX_FILES) {
    const slice = files.slice(at, at + BULK_MAX_FILES);
    const { data } = await send(slice.map(({ id }) => id));
    for (const { id, error } of data) if (error !== null) failures.set(id, error);
  }
  return failures;
}
