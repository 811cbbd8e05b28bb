import { MIB } from '../../../server/contract/limits.ts';
import type { FileWire } from '../../../server/contract/wire.ts';
import { sendWithRetry } from './retry.ts';
import {
  type Destination,
  type Keeping,
  sendForm,
  setDestination,
  type UploadCallbacks,
  yesOrEmpty,
} from './send-form.ts';

export type ImageUpload = Destination & Keeping & { file: File; webp: boolean };

/** With fewer bytes than this left, the server may have the image before the browser can abort it. */
const ABORT_MIN_REMAINING_BYTES = MIB;

/**
 * Uploads one image. The fields come before the file, so that the server knows them when it reads it.
 * If a response is lost, the image is sent again: under the same client id it becomes one file. An
 * upload that is stopped too late resolves with its file, so that the caller can delete it.
 */
export function sendImage(
  bucketId: string,
  clientId: string,
  upload: ImageUpload,
  { signal, onSent, onPause }: UploadCallbacks,
): Promise<FileWire> {
  signal.throwIfAborted();
  const { file } = upload;
  const path = `/files/upload/image/${encodeURIComponent(bucketId)}`;
  const form = new FormData();
  form.set('client_id', clientId);
  setDestination(form, upload);
  if (upload.isExact) form.set('optimize', 'no');
  else form.set('webp', yesOrEmpty(upload.webp));
  form.set('file', file);

  let sentBytes = 0;
  const aborter = new AbortController();
  signal.addEventListener('abort', () => {
    if (file.size - sentBytes > ABORT_MIN_REMAINING_BYTES || sentBytes === 0)
      aborter.abort(signal.reason);
  });
  const onBytes = (bytes: number) => {
    sentBytes = Math.min(file.size, bytes);
    onSent(sentBytes);
  };
  const attempt = () => sendForm<FileWire>(path, form, { signal: aborter.signal, onSent: onBytes });
  return sendWithRetry(file, attempt, { signal, onPause });
}
