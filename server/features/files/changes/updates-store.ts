import type { Tx } from '../../../platform/db/port.ts';
import type { FileRow } from '../tables.ts';

/** Stores fields of a file. */
export async function updateFields(
  tx: Tx,
  id: string,
  fields: Partial<Pick<FileRow, 'access'>>,
): Promise<void> {
  await tx.updateTable('files').set(fields).where('id', '=', id).execute();
}
