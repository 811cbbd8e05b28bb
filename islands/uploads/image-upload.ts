import { filesFrom, newestFile } from './files-from.ts';
import { patiently } from './patience.ts';
import { rowOf } from './rows.ts';
import { type ImageUpload, sendImage } from './send-image.ts';
import type { Upload } from './start.ts';
import { removeFile } from './video-calls.ts';

/** Uploads of images that go together. */
export function imageUploads(bucketId: string, images: ImageUpload[]): Upload[] {
  let newest: Promise<string> | undefined;
  const before = () => {
    newest ??= patiently(() => newestFile(bucketId));
    return newest;
  };

  return images.map((image) => {
    const { file } = image;
    const findArrived = async () => {
      const from = await before();
      const files = await filesFrom(bucketId, from);
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
