import type { Access, FileWire } from '../../server/contract/wire.ts';
import { sendForm } from './send-form.ts';

export type ImageUpload = { file: File; access: Access; webp: boolean };

/** Uploads one image. Fields go before the file, so that the server knows them when it arrives. */
export function sendImage(
  bucketId: string,
  upload: ImageUpload,
  onSent: (bytes: number) => void,
): Promise<FileWire> {
  const form = new FormData();
  form.set('access', upload.access);
  form.set('webp', upload.webp ? 'yes' : '');
  form.set('file', upload.file);
  return sendForm(`/files/upload/image/${encodeURIComponent(bucketId)}`, form, onSent);
}
