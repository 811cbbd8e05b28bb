import { t } from 'elysia';
import { FILE_SORTS, SORT_ORDERS } from '../files/file-order.ts';
import { FILE_METADATA_MAX_BYTES, FILE_SEARCH_MAX, PAGE_SIZE } from '../limits.ts';
import {
  byteCount,
  described,
  listQuery,
  named,
  nullableText,
  oneOf,
  pageOf,
  searchText,
  wholeNumber,
} from './fields.ts';

export const ACCESSES = ['public', 'private'] as const;
export const FILE_TYPES = ['image', 'video', 'audio', 'file'] as const;

const folderPrefix = (description: string) =>
  t.Optional(
    t.String({
      pattern: '^([^/]+/)*$',
      maxLength: 1024,
      error: 'prefix must be a folder like photos/2026/, or empty for the top.',
      description,
    }),
  );

/** How a list of files is sorted. Without them it has its own order. */
const sortQuery = {
  sort: t.Optional(
    oneOf([...FILE_SORTS, ''], { error: `sort must be ${FILE_SORTS.join(', ')}, or empty.` }),
  ),
  order: t.Optional(
    oneOf([...SORT_ORDERS, ''], { error: `order must be ${SORT_ORDERS.join(' or ')}.` }),
  ),
};

const sizeFilter = (name: string, description: string) =>
  t.Optional(
    t.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      error: `${name} must be a number of bytes.`,
      description,
    }),
  );

/** The query of a list of files. An empty filter counts as unset. */
export const FileListQuery = t.Object({
  ...listQuery,
  cursor: t.Optional(
    t.String({
      maxLength: 1025,
      error: 'cursor must be 0 or a nextId from an earlier response.',
    }),
  ),
  q: described(
    'Parts of the path or the name, in any case, joined by &. All of them must be there.',
    searchText('q', FILE_SEARCH_MAX),
  ),
  metadata: described(
    'Texts of the metadata as name=value, or name for any value, joined by & and URL-encoded. All of them must be there.',
    searchText('metadata', FILE_METADATA_MAX_BYTES),
  ),
  prefix: folderPrefix('The folder whose files are listed, with those of the folders in it.'),
  min_size: sizeFilter('min_size', 'The fewest bytes of a file.'),
  max_size: sizeFilter('max_size', 'The most bytes of a file.'),
  ...sortQuery,
  access: t.Optional(oneOf([...ACCESSES, ''], { error: 'access must be public or private.' })),
  file_type: t.Optional(
    oneOf([...FILE_TYPES, ''], {
      error: `file_type must be ${FILE_TYPES.slice(0, -1).join(', ')} or file.`,
    }),
  ),
});

const nullableInteger = t.Nullable(wholeNumber());

export const FileResponse = named(
  'StoredFile',
  t.Object({
    id: t.String(),
    name: t.String(),
    path: described('Where the file is in its bucket. No other file is there.', t.String()),
    replaces_path: described(
      'The path that the file takes once it is processed, in place of the file that is there; null for others.',
      nullableText,
    ),
    content_type: described('The content type of the upload.', t.String()),
    size: described('The bytes of the upload.', byteCount()),
    file_type: described(
      'Images and videos are processed. Every other file is delivered as it was uploaded.',
      oneOf(FILE_TYPES),
    ),
    access: oneOf(ACCESSES),
    status: described(
      'Whether the file is being processed, can be delivered, or has failed.',
      oneOf(['processing', 'success', 'error']),
    ),
    progress: described('The progress of processing in per cent.', wholeNumber()),
    queue_position: described(
      'The place in the line of files that wait to be processed, from 1; null for others, and behind the first 100.',
      nullableInteger,
    ),
    queue_seconds: described(
      'The rough time until the processing of a waiting file starts, in whole minutes; null where it is not known.',
      nullableInteger,
    ),
    date: described('When the upload was completed, in ISO 8601 and UTC.', t.String()),
    expires_at: described(
      'When the file is deleted, in ISO 8601 and UTC; null for never.',
      nullableText,
    ),
    metadata: described('The texts that were added to the file.', t.Record(t.String(), t.String())),
    url: described('The URL of the file; null until it can be opened.', nullableText),
    path_url: described(
      'The URL of whatever file is at this path, now and after it is replaced; null until the file can be opened.',
      nullableText,
    ),
    width: nullableInteger,
    height: nullableInteger,
    duration: described(
      'The duration in milliseconds; null for still images, and of audio until it has been read.',
      nullableInteger,
    ),
    playable: described('Whether a video can be played already.', t.Boolean()),
    thumbhash: described(
      'A ThumbHash in base64, whose picture is shown until the real one is loaded.',
      nullableText,
    ),
    poster: described("The URL of a video's poster; null where it has none.", nullableText),
    previews: described(
      'The URL of the WebVTT file of the timeline previews; null where there are none.',
      nullableText,
    ),
    embed: described(
      "The URL of the video's player for an iframe; null until the video can be played.",
      nullableText,
    ),
    kept_original: described(
      'Whether the upload itself is stored beside what is delivered.',
      t.Boolean(),
    ),
    webp_skipped: described(
      'Whether WebP was requested but would be larger, show less or take too much memory, so the image is delivered in its own format.',
      t.Boolean(),
    ),
    warning: described(
      'What is wrong with a file that could be processed, such as an upload that ends early, as a sentence for a person; null where nothing is.',
      nullableText,
    ),
    sha256: described(
      'The SHA-256 of the upload in hex; null until the upload has been read.',
      nullableText,
    ),
    error: described(
      'Why processing failed, as a sentence for a person; null where it did not.',
      nullableText,
    ),
    retry_until: described(
      'Until when a failed file can be retried; null where a retry would fail again or the upload is deleted.',
      nullableText,
    ),
  }),
);

/** One stored version of a file, such as a poster, or a size of a video with all its segments. */
const Rendition = named(
  'Rendition',
  t.Object({
    name: t.String(),
    width: nullableInteger,
    height: nullableInteger,
    bytes: byteCount(),
    url: described(
      'Null for a version that is never delivered, such as a kept original.',
      nullableText,
    ),
  }),
);

export const FileDetailResponse = named(
  'FileDetail',
  t.Object({
    ...FileResponse.properties,
    renditions: described(
      'Null until the file is published, and for files from before the versions were recorded.',
      t.Nullable(t.Array(Rendition)),
    ),
    attempts: described(
      "How many attempts at processing were started; null once the job's row is deleted.",
      nullableInteger,
    ),
    // How many bytes of the file were sent this UTC month, and in total.
    bandwidth: t.Object({ month: byteCount(), total: byteCount() }),
    jwt: described('A read token for this file that is valid for one hour.', t.String()),
  }),
);

export const FilePageResponse = named(
  'FilePage',
  t.Object({
    ...pageOf(FileResponse).properties,
    total: described(
      'How many files the bucket has; null for a list with filters, whose files are not counted.',
      nullableInteger,
    ),
    jwt: described('A read token for the bucket that is valid for one hour.', t.String()),
  }),
);

/** The query of a page of a folder. */
export const FolderQuery = t.Object({
  prefix: folderPrefix('The folder that is listed; empty for the top.'),
  ...sortQuery,
  cursor: t.Optional(t.String({ maxLength: 2048 })),
  limit: t.Optional(
    t.Integer({ minimum: 1, maximum: PAGE_SIZE, error: `limit must be 1 to ${PAGE_SIZE}.` }),
  ),
});

/** A folder that is created. */
export const FolderBody = named(
  'NewFolder',
  t.Object({
    path: described(
      'The folder, such as photos/2026.',
      t.String({ minLength: 1, maxLength: 1024, error: 'path must be a folder like photos/2026.' }),
    ),
  }),
);
export const FolderResponse = named(
  'Folder',
  t.Object({ path: described('The folder, which ends in /.', t.String()) }),
);

/** The query that names a folder. */
export const FolderPathQuery = t.Object({
  path: described(
    'The folder, such as photos/2026.',
    t.String({ minLength: 1, maxLength: 1024, error: 'path must be a folder like photos/2026.' }),
  ),
});

export const FolderPageResponse = named(
  'FolderPage',
  t.Object({
    folders: described(
      'The folders in this one, such as photos/2026/. A folder is there while a file is below it, or where it was created.',
      t.Array(t.String()),
    ),
    data: described('The files in this folder, by path.', t.Array(FileResponse)),
    next: described('The cursor of the next page; null on the last one.', nullableText),
    jwt: described('A read token for the bucket that is valid for one hour.', t.String()),
  }),
);

/**
 * Texts by name. Elysia turns what is no object into an object before it validates it, so `parseFields` validates this
 * one; clients see its schema.
 */
const textsByName = {
  ...t.Unsafe<Record<string, string>>(t.Any()),
  additionalProperties: { type: 'string' },
  example: { album: 'Summer' },
};

/** A file of the trash, or an earlier version. It has no URL until it is restored. */
const RemovedFile = named(
  'RemovedFile',
  t.Object({
    id: t.String(),
    name: t.String(),
    path: described('Where the file was in its bucket.', t.String()),
    content_type: t.String(),
    size: described('The bytes of the upload.', byteCount()),
    file_type: oneOf(FILE_TYPES),
    access: oneOf(ACCESSES),
    sha256: nullableText,
    date: described('When the upload was completed, in ISO 8601 and UTC.', t.String()),
    removed_at: described('When the file was deleted or replaced.', t.String()),
    delete_at: described(
      'When the file is deleted for good; null for a version, which is deleted when there are too many.',
      nullableText,
    ),
  }),
);

export const TrashQuery = t.Object({
  cursor: t.Optional(t.String({ maxLength: 64 })),
  limit: t.Optional(
    t.Integer({ minimum: 1, maximum: PAGE_SIZE, error: `limit must be 1 to ${PAGE_SIZE}.` }),
  ),
});

export const TrashPageResponse = named(
  'TrashPage',
  t.Object({
    data: described('The deleted files, the last one first.', t.Array(RemovedFile)),
    next: described('The cursor of the next page; null on the last one.', nullableText),
  }),
);

export const VersionListResponse = named(
  'FileVersions',
  t.Object({ data: described('The versions, the newest first.', t.Array(RemovedFile)) }),
);

/** What happens where another file is at the path of a deleted one. */
export const RestoreQuery = t.Object({
  on_conflict: t.Optional(
    oneOf(['error', 'rename'], { error: 'on_conflict must be error or rename.' }),
  ),
});

/** A change of a file. */
export const FileChange = named(
  'FileChange',
  t.Object(
    {
      path: t.Optional(
        described('Where the file is to be in its bucket.', t.String({ maxLength: 1024 })),
      ),
      on_conflict: t.Optional(
        oneOf(['error', 'replace'], { error: 'on_conflict must be error or replace.' }),
      ),
      access: t.Optional(oneOf(ACCESSES, { error: 'access must be public or private.' })),
      expires_at: t.Optional(
        described(
          'When the file is deleted, in ISO 8601, down to the second; null for never.',
          t.Nullable(t.String({ maxLength: 40, example: '2999-12-31T12:00:00Z' })),
        ),
      ),
      metadata: t.Optional(
        described('Texts by name that replace the present ones: up to 2 KB as JSON.', textsByName),
      ),
    },
    { minProperties: 1, error: 'Name what to change: path, access, expires_at or metadata.' },
  ),
);

/** How many chunks of a video have arrived, and how many there are. */
export const ReceivedResponse = named(
  'ReceivedChunks',
  t.Object({ received: wholeNumber(), total: wholeNumber() }),
);
export const ProbeResponse = named('VideoResolution', t.Object({ resolution: t.String() }));
export const UploadResponse = named(
  'UploadStatus',
  t.Object({
    received: t.Array(wholeNumber()),
    total: wholeNumber(),
    file_id: t.Nullable(t.String()),
    expires: t.String(),
  }),
);
