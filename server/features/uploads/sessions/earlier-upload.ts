import type { FileWire } from '../../../contract/wire.ts';
import { conflict, gone } from '../../../errors.ts';
import type { Files } from '../../files/service.ts';

/** Returns the error for a client's id that an upload of another kind or with other bytes has. */
export const clientIdTaken = () =>
  conflict('This client_id belongs to another file. Use a new client_id for each file.');

/** Returns the file that an upload has become. Throws gone where it has been deleted since. */
export async function fileOfUpload(
  { files }: { files: Pick<Files, 'find'> },
  fileId: string,
): Promise<FileWire> {
  const file = await files.find(fileId);
  if (!file) throw gone('The file of this upload has been deleted.');
  return file;
}
