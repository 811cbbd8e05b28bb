import { t } from 'elysia';
import { listQuery, nullableText, oneOf, pageOf } from './fields.ts';

export const ACCESSES = ['public', 'private'] as const;
export const FILE_TYPES = ['image', 'video'] as const;

/** The query of a list of files. An empty filter counts as unset. */
export const FileListQuery = t.Object({
  ...listQuery,
  access: t.Optional(oneOf([...ACCESSES, ''], { error: 'access must be public or private.' })),
  file_type: t.Optional(oneOf([...FILE_TYPES, ''], { error: 'file_type must be image or video.' })),
});

const nullableInteger = t.Nullable(t.Integer());

export const FileResponse = t.Object({
  id: t.String(),
  name: t.String(),
  size: t.Integer(),
  file_type: oneOf(FILE_TYPES),
  access: oneOf(ACCESSES),
  status: oneOf(['processing', 'success', 'error']),
  // The progress of processing in per cent.
  progress: t.Integer(),
  date: t.String(),
  // Null until an object can be opened.
  url: nullableText,
  width: nullableInteger,
  height: nullableInteger,
  // The duration in milliseconds; null for still images.
  duration: nullableInteger,
  playable: t.Boolean(),
  // A ThumbHash in base64, whose picture is shown until the real one is loaded.
  thumbhash: nullableText,
  // The URLs of a video's poster and of the WebVTT file of its timeline previews.
  poster: nullableText,
  previews: nullableText,
  // The URL of the video's player for an iframe; null until the video can be played.
  embed: nullableText,
  // Whether WebP was requested but the original is smaller, and is delivered instead.
  kept_original: t.Boolean(),
  // The SHA-256 of the upload in hex; null until the upload has been read.
  sha256: nullableText,
  // Why processing failed, as a sentence for a person; null where it did not.
  error: nullableText,
  // Until when a failed file can be retried; null where a retry would fail again or the upload is deleted.
  retry_until: nullableText,
});

/** One stored version of a file, such as a poster, or a size of a video with all its segments. */
const Rendition = t.Object({
  name: t.String(),
  width: nullableInteger,
  height: nullableInteger,
  bytes: t.Integer(),
  // Null for a version that is never delivered, such as a kept original.
  url: nullableText,
});

export const FileDetailResponse = t.Object({
  ...FileResponse.properties,
  // Null until the file is published, and for files from before the versions were recorded.
  renditions: t.Nullable(t.Array(Rendition)),
  // How many attempts at processing were started; null once the job's row is deleted.
  attempts: nullableInteger,
  // How many bytes of the file were sent this UTC month, and in total.
  bandwidth: t.Object({ month: t.Integer(), total: t.Integer() }),
  // A read token for this file that is valid for one hour.
  jwt: t.String(),
});

export const FilePageResponse = t.Object({
  ...pageOf(FileResponse).properties,
  // A read token for the bucket that is valid for one hour.
  jwt: t.String(),
});

/** How many chunks of a video have arrived, and how many there are. */
export const ReceivedResponse = t.Object({ received: t.Integer(), total: t.Integer() });
export const ProbeResponse = t.Object({ resolution: t.String() });
export const UploadResponse = t.Object({
  received: t.Array(t.Integer()),
  total: t.Integer(),
  fileId: t.Nullable(t.String()),
  expires: t.String(),
});
