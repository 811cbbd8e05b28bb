import { t } from 'elysia';
import { listQuery, nullableText, pageOf } from './list-query.ts';
import { oneOf } from './one-of.ts';

const ACCESSES = ['public', 'private'] as const;
const FILE_TYPES = ['image', 'video'] as const;

/** An empty filter counts as unset. */
export const FileListQuery = t.Object({
  ...listQuery,
  access: t.Optional(oneOf([...ACCESSES, ''], { error: 'access must be public or private.' })),
  file_type: t.Optional(oneOf([...FILE_TYPES, ''], { error: 'file_type must be image or video.' })),
});

const nullableInteger = t.Nullable(t.Integer());

export const FileAnswer = t.Object({
  id: t.String(),
  name: t.String(),
  size: t.Integer(),
  file_type: oneOf(FILE_TYPES),
  access: oneOf(ACCESSES),
  status: oneOf(['processing', 'success', 'error']),
  // Per cent done while processing.
  progress: t.Integer(),
  date: t.String(),
  // Null until there is something to open.
  url: nullableText,
  width: nullableInteger,
  height: nullableInteger,
  // Milliseconds; null for images.
  duration: nullableInteger,
  playable: t.Boolean(),
  // Base64, for a picture that stands in while the real one loads.
  thumbhash: nullableText,
  // URLs of a video's poster and of the WebVTT file of its timeline previews.
  poster: nullableText,
  previews: nullableText,
  // A page with the player of a video, for a frame; null until there is something to play.
  embed: nullableText,
  // WebP was asked for, but the original is smaller and is what is delivered.
  kept_original: t.Boolean(),
  // Of what was uploaded, in hex; null until it has been read.
  sha256: nullableText,
  // Why processing failed, for a person; null otherwise.
  error: nullableText,
});

/** One thing that is stored of a file: a size of a video with all its segments, a poster, … */
const Rendition = t.Object({
  name: t.String(),
  width: nullableInteger,
  height: nullableInteger,
  bytes: t.Integer(),
  // Null where it is kept and never delivered.
  url: nullableText,
});

export const FileDetailAnswer = t.Object({
  ...FileAnswer.properties,
  // Null until it is published, and of files that were before this was noted.
  renditions: t.Nullable(t.Array(Rendition)),
  // How often processing was begun; null once the job is forgotten.
  attempts: nullableInteger,
  // Bytes sent of it this month, in UTC, and in all.
  bandwidth: t.Object({ month: t.Integer(), total: t.Integer() }),
  // A read token of this file, for one hour.
  jwt: t.String(),
});

export const FilePageAnswer = t.Object({
  ...pageOf(FileAnswer).properties,
  // A read token of the bucket, for one hour.
  jwt: t.String(),
});
