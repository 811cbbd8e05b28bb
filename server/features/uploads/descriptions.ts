import { uploadDetail } from '../../web/http/openapi-responses.ts';

/* Uploads read their forms themselves, so the schemas for the API reference are written by hand. */

const access = { type: 'string', enum: ['public', 'private'] } as const;
/** Where a file is to be, and what happens where another one is. */
const place = {
  folder: { type: 'string', example: 'photos/2026' },
  path: { type: 'string', example: 'documents/2026/report.pdf' },
  on_conflict: { type: 'string', enum: ['rename', 'replace', 'error'] },
} as const;
const REPLACED =
  'folder, path, on_conflict, If-Match and If-None-Match work as for a file of any type. It replaces another file once it is processed; until then it has a number, and if processing fails, the other file stays.';
const yes = { type: 'string', enum: ['yes', 'no', ''] } as const;
const file = { type: 'string', format: 'binary' } as const;
const client_id = {
  type: 'string',
  pattern: '^[A-Za-z0-9_-]{1,100}$',
  example: 'holiday-1',
} as const;
const integer = { type: 'integer', minimum: 0 } as const;

const form = (title: string, properties: Record<string, object>, required: string[]) => ({
  required: true,
  content: {
    'multipart/form-data': { schema: { title, type: 'object' as const, properties, required } },
  },
});

export const IMAGE_UPLOAD_DESCRIPTION = {
  ...uploadDetail('uploadImage', 'Upload an image').detail,
  description: `Send a form with the file, and its fields before or after it: a JPEG, PNG, WebP, GIF, SVG, AVIF, HEIC, TIFF or BMP of at most 50 MiB and 100 megapixels. Returns 201 with the file, which is then processed. With a client_id, repeating an upload within 24 hours is safe: the same image returns the same file, and another one gets 409. With optimize=no, a JPEG, PNG, WebP or GIF is delivered byte for byte, with its metadata, and can still be transformed. ${REPLACED}`,
  requestBody: form(
    'ImageUpload',
    { access, ...place, webp: yes, optimize: yes, client_id, file },
    ['file'],
  ),
};

export const FILE_UPLOAD_DESCRIPTION = {
  ...uploadDetail('uploadFile', 'Upload a file of any type').detail,
  description:
    "Send a form with the file, and its fields before or after it. The bytes are stored and delivered as they are, up to the server's limit. path is where the file is in its bucket, such as documents/2026/report.pdf, and its name by default. Where another file is there, on_conflict decides: rename, the default without a path, adds a number, as in report (2).pdf; replace deletes that file; error, the default with a path, answers 409 with the code path-taken. With If-None-Match: * an upload only creates a file, and with If-Match it only replaces the file with that ETag; otherwise the response is 412 with the code other-version.",
  requestBody: form('FileUpload', { access, ...place, file }, ['file']),
};

export const VIDEO_UPLOAD_DESCRIPTION = {
  ...uploadDetail('uploadVideoChunk', 'Upload one chunk of a video').detail,
  description: `Every chunk except the last must be exactly 9 MiB. Send chunks in any order within 24 hours; repeating one is safe. client_id identifies the upload: use a new one for each video. The fields can come before or after the file, and those of chunk 0 apply, as do its headers. With optimize=no, the video is stored and delivered byte for byte as a file, without a player. Returns 202 with the number of received chunks, and 201 with the file for the chunk that completes it. ${REPLACED}`,
  requestBody: form(
    'VideoChunkUpload',
    {
      chunk_number: integer,
      total_chunks: { ...integer, minimum: 1 },
      client_id,
      access,
      ...place,
      resolution: { type: 'string', example: '1280x720,640x360' },
      timeline_preview: yes,
      optimize: yes,
      thumbnail: file,
      file,
    },
    ['chunk_number', 'total_chunks', 'client_id', 'file'],
  ),
};

export const PROBE_DESCRIPTION = {
  ...uploadDetail('detectVideoResolution', "Detect a video's resolution before uploading it")
    .detail,
  description:
    'Send the first 9 MiB or less as file. If the response is 422 with the code need-tail, as for a video whose index is at the end of the file, repeat the call and add the last 9 MiB or less as tail. Nothing is stored.',
  requestBody: form('VideoProbe', { file, tail: file }, ['file']),
};

export const PROGRESS_DESCRIPTION = {
  ...uploadDetail('getVideoUpload', 'List the received chunks of a video upload').detail,
  description: 'To resume after a lost connection, send only the missing chunks, within 24 hours.',
};

export const IMAGE_PROGRESS_DESCRIPTION = {
  ...uploadDetail('getImageUpload', 'Find the file of an image upload by its client_id').detail,
  description:
    'Where the response to an upload was lost, file_id says which file it has become. Returns 404 if the image has not arrived, and 24 hours later.',
};

export const CANCEL_DESCRIPTION = uploadDetail(
  'cancelVideoUpload',
  'Cancel a video upload and delete its chunks',
  {
    204: 'Cancelled; nothing is stored.',
    409: 'The upload is complete. Delete the file instead.',
  },
).detail;
