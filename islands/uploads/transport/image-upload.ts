import type { Upload } from '../queue/upload-manager.ts';
import { rowOf } from '../queue/upload-store.ts';
import { listFilesSince, newestFile } from '../resume/list-files-since.ts';
import { withRetry } from './retry.ts';
import { type ImageUpload, sendImage } from './send-image.ts';
import { removeFile } from './video-calls.ts';

/** Uploads of images that go together. */
export function imageUploads(bucketId: string, images: ImageUpload[]): Upload[] {
  let newest: Promise<string> | undefined;
  const before = () => {
    newest ??= withRetry(() => newestFile(bucketId));
    return newest;
  };

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
          !rowOf(id),
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
