import { ApiError } from '../../runtime/api-error.ts';
import { kindOf, refusalOf } from '../file-kinds.ts';
import type { Upload } from '../queue/upload-manager.ts';
import { type FileUpload, sendFile } from '../transport/send-file.ts';
import { newClientId } from '../transport/send-video.ts';
import { freshImage } from './fresh-image.ts';
import { freshVideo } from './resumable-uploads.ts';

/**
 * The upload of a file of any type: an image or a video is processed with the default options, or kept exactly, and any
 * other file is stored as it is. So is an image or a video that the server can't process, or can't keep as an image.
 */
export function freshFile(bucketId: string, upload: FileUpload): Upload {
  const media = mediaUpload(bucketId, upload);
  if (!media) return plainFile(bucketId, upload);
  return {
    ...media,
    send: (sending) =>
      media.send(sending).catch((error) => {
        if (!(error instanceof ApiError) || error.status !== 415) throw error;
        return sendFile(bucketId, upload, sending);
      }),
  };
}

function mediaUpload(bucketId: string, upload: FileUpload): Upload | null {
  const { file } = upload;
  if (kindOf(file) === 'video') {
    const options = { resolution: '', timelinePreview: false, thumbnail: null };
    return file.size === 0 ? null : freshVideo(bucketId, { ...upload, ...options });
  }
  const isImage = kindOf(file) === 'image' && refusalOf(file) === null;
  return isImage ? freshImage(bucketId, { ...upload, webp: false }) : null;
}

const plainFile = (bucketId: string, upload: FileUpload): Upload => ({
  about: { kind: 'file', file: upload.file, clientId: newClientId(), sent: 0 },
  send: (sending) => sendFile(bucketId, upload, sending),
  // A request that is cut off stores nothing.
  undo: async () => {},
});
