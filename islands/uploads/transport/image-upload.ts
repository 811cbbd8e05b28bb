import { lazily } from '../../../server/contract/lazily.ts';
import { MIB } from '../../../server/contract/limits.ts';
import type { Access, FileWire } from '../../../server/contract/wire.ts';
import { ApiError } from '../../runtime/api-error.ts';
import type { Upload } from '../queue/upload-manager.ts';
import { findRow } from '../upload-store.ts';
import { sendWithRetry, withRetry } from './retry.ts';
import { sendForm, type UploadCallbacks, yesOrEmpty } from './send-form.ts';
import { listFilesSince, newestFile, removeFile } from './upload-calls.ts';

/** Returns the uploads of images that are sent together. */
export function imageUploads(bucketId: string, images: ImageUpload[]): Upload[] {
  const before = lazily(() => withRetry(() => newestFile(bucketId)));

  return images.map((image) => {
    const { file } = image;
    const findArrived = async () => {
      const from = await before();
      const files = await listFilesSince(bucketId, from);
      return files.find(
        ({ id, name, size, file_type }) =>
          id > from &&
          file_type === 'image' &&
          name === file.name &&
          size === file.size &&
          !findRow(id),
      );
    };
    return {
      about: { kind: 'image', file, clientId: null, sent: 0 },
      async send(sending) {
        await before();
        return sendImage(bucketId, image, sending, findArrived);
      },
      async undo() {
        const file = await findArrived();
        if (file) await removeFile(bucketId, file.id);
      },
    };
  });
}

type ImageUpload = { file: File; access: Access; webp: boolean };

/** With fewer bytes than this left, the server may have the image before the browser can abort it. */
const ABORT_MIN_REMAINING_BYTES = MIB;

/**
 * Uploads one image. The fields come before the file, so that the server knows them when it reads it.
 * An upload that is stopped too late resolves with its file, so that the caller can delete it.
 * @param findArrived finds the image on the server after a response was lost, so that it is not
 * uploaded twice
 */
function sendImage(
  bucketId: string,
  upload: ImageUpload,
  { signal, onSent, onPause }: UploadCallbacks,
  findArrived: () => Promise<FileWire | undefined>,
): Promise<FileWire> {
  signal.throwIfAborted();
  const { file } = upload;
  const path = `/files/upload/image/${encodeURIComponent(bucketId)}`;
  const form = new FormData();
  form.set('access', upload.access);
  form.set('webp', yesOrEmpty(upload.webp));
  form.set('file', file);

  let sentBytes = 0;
  const aborter = new AbortController();
  signal.addEventListener('abort', () => {
    if (file.size - sentBytes > ABORT_MIN_REMAINING_BYTES || sentBytes === 0)
      aborter.abort(signal.reason);
  });

  let isResponseLost = false;
  const attempt = async () => {
    const arrived = isResponseLost ? await findArrived() : undefined;
    if (arrived) return arrived;
    const onBytes = (bytes: number) => {
      sentBytes = Math.min(file.size, bytes);
      onSent(sentBytes);
    };
    return sendForm<FileWire>(path, form, { signal: aborter.signal, onSent: onBytes }).catch(
      (error) => {
        isResponseLost ||= error instanceof ApiError && error.status === 0;
        throw error;
      },
    );
  };
  return sendWithRetry(file, attempt, { signal, onPause });
}
