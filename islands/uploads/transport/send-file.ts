import type { FileWire } from '../../../server/contract/wire.ts';
import { ApiError } from '../../runtime/api-error.ts';
import { sendWithRetry } from './retry.ts';
import {
  type Destination,
  type Keeping,
  sendForm,
  setDestination,
  type UploadCallbacks,
} from './send-form.ts';

export type FileUpload = Destination & Keeping & { file: File };

/**
 * Uploads a file that is stored as it is. If the connection is lost before all bytes are sent, nothing is stored,
 * and the file is sent again. After that the file may exist, so a lost response is a failure, which says so.
 */
export function sendFile(
  bucketId: string,
  upload: FileUpload,
  { signal, onSent, onPause }: UploadCallbacks,
): Promise<FileWire> {
  const { file } = upload;
  const path = `/files/upload/file/${encodeURIComponent(bucketId)}`;
  const form = new FormData();
  setDestination(form, upload);
  form.set('file', file);
  const attempt = async () => {
    let sent = 0;
    const onBytes = (bytes: number) => {
      sent = Math.min(file.size, bytes);
      onSent(sent);
    };
    try {
      return await sendForm<FileWire>(path, form, { signal, onSent: onBytes });
    } catch (error) {
      const isUnclear = error instanceof ApiError && error.status === 0 && sent === file.size;
      throw isUnclear ? new ApiError(0, UNCLEAR, { code: 'unreadable' }) : error;
    }
  };
  return sendWithRetry(file, attempt, { signal, onPause });
}

const UNCLEAR =
  'The connection was lost at the end of the upload. Check whether the file is in the list.';
