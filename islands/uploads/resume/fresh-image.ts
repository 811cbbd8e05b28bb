import { UPLOAD_TTL_MS } from '../../../server/contract/limits.ts';
import type { Upload } from '../queue/upload-manager.ts';
import { type ImageUpload, sendImage } from '../transport/send-image.ts';
import { newClientId } from '../transport/send-video.ts';
import { removeImage } from '../transport/upload-calls.ts';
import {
  findLikelyResume,
  type ResumeEntry,
  readResumeEntries,
  removeResumeEntry,
} from './resume-entries.ts';
import { releaseUpload, whileRemembered } from './running-uploads.ts';

/**
 * The upload of one image, which the browser stores until it has ended, to tell if it was interrupted.
 * @param clientId that of an interrupted upload which starts over: if the image has arrived, it stays one file
 */
export function freshImage(
  bucketId: string,
  image: ImageUpload,
  clientId: string = newClientId(),
): Upload {
  const { file, access, folder, replace, webp, isExact = false } = image;
  const key = { bucketId, clientId };
  const entryOf = async (): Promise<ResumeEntry> => {
    // The image has been chosen again, so an earlier upload of it needs no attention any more.
    const earlier = findLikelyResume(readResumeEntries(), bucketId, file, 'image');
    for (const entry of earlier) if (entry.clientId !== clientId) removeResumeEntry(entry);
    return {
      ...key,
      kind: 'image',
      name: file.name,
      size: file.size,
      lastModified: file.lastModified,
      sha256: '',
      ...{ access, folder, replace, isExact, webp },
      resolution: '',
      timelinePreview: false,
      received: 0,
      expires: Date.now() + UPLOAD_TTL_MS,
    };
  };
  return {
    about: { kind: 'image', file, clientId, sent: 0 },
    send: (sending) =>
      whileRemembered({ clientId, file }, entryOf, () =>
        sendImage(bucketId, clientId, image, sending),
      ),
    undo() {
      releaseUpload(clientId);
      removeResumeEntry(key);
      return removeImage(bucketId, clientId);
    },
  };
}
