import { Elysia } from 'elysia';
import { formatSize } from '../../contract/resolutions.ts';
import {
  FileResponse,
  ProbeResponse,
  ReceivedResponse,
  UploadResponse,
} from '../../contract/schemas/files.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/port.ts';
import type { OpenDownload } from '../../platform/outbound/download.ts';
import type { Queue } from '../../platform/queue/queue.ts';
import type { RegionRouter } from '../../platform/region-routing.ts';
import type { ObjectStore } from '../../platform/storage/port.ts';
import { openApiResponses } from '../../web/http/openapi-responses.ts';
import type { Accounts } from '../accounts/service.ts';
import type { Buckets } from '../buckets/service.ts';
import type { Files } from '../files/service.ts';
import type { MediaProcess } from '../processing/service.ts';
import { bucketGuard, type Caller } from '../tokens/guard.ts';
import type { Tokens } from '../tokens/service.ts';
import { ChunkAttempts } from './chunked/chunk-attempts.ts';
import { PlainChunks } from './chunked/plain-chunks.ts';
import { uploadVideoChunk } from './chunked/video-upload.ts';
import { uploadFile } from './form/file-upload.ts';
import { uploadImage } from './form/image-upload.ts';
import { importRoutes } from './imports/routes.ts';
import { createProbe } from './probe.ts';
import type { Uploads } from './service.ts';

type UploadServices = {
  accounts: Accounts;
  buckets: Buckets;
  tokens: Tokens;
  files: Files;
  uploads: Uploads;
  database: Database;
  objects: ObjectStore;
  regionRouter: RegionRouter;
  clock: Clock;
  queue: Queue;
  openDownload: OpenDownload;
  media: MediaProcess;
  maxVideoBytes: number;
  maxFileBytes: number;
};

/** The handlers read the forms themselves, as streams. */
const UNPARSED = { caller: 'upload', parse: 'none' } as const;

/**
 * Mounts the uploads of images, and of videos in chunks. They need a session, an API key or a write
 * token.
 */
export function uploadRoutes(services: UploadServices) {
  const probe = createProbe(services);
  const chunking = { attempts: new ChunkAttempts(), plain: new PlainChunks() };
  const chunkServices = { ...services, ...chunking };
  return new Elysia()
    .use(bucketGuard(services))
    .use(importRoutes(services))
    .post(
      '/files/upload/image/:bucketID',
      async ({ caller, request, status }) =>
        status(201, await uploadImage(services, caller, request)),
      { ...UNPARSED, response: { 201: FileResponse }, detail: IMAGE_UPLOAD_DESCRIPTION },
    )
    .post(
      '/files/upload/file/:bucketID',
      async ({ caller, request, status }) =>
        status(201, await uploadFile(services, caller, request)),
      { ...UNPARSED, response: { 201: FileResponse }, detail: FILE_UPLOAD_DESCRIPTION },
    )
    .post(
      '/files/upload/video/:bucketID',
      async ({ caller, request, status }) => {
        const { file, ...progress } = await uploadVideoChunk(chunkServices, caller, request);
        return file ? status(201, file) : status(202, progress);
      },
      {
        ...UNPARSED,
        response: { 201: FileResponse, 202: ReceivedResponse },
        detail: VIDEO_UPLOAD_DESCRIPTION,
      },
    )
    .post(
      '/files/resolution/video/:bucketID',
      async ({ caller, request }) => {
        const size = await probe(caller, request);
        return { resolution: formatSize(size) };
      },
      { ...UNPARSED, response: ProbeResponse, detail: PROBE_DESCRIPTION },
    )
    .get(
      '/files/upload/video/:bucketID/:clientID',
      ({ caller, params }) => services.uploads.progress(ownerOf(caller, params.clientID)),
      { caller: 'upload', response: UploadResponse, detail: PROGRESS_DESCRIPTION },
    )
    .get(
      '/files/upload/image/:bucketID/:clientID',
      ({ caller, params }) => services.uploads.progress(ownerOf(caller, params.clientID)),
      { caller: 'upload', response: UploadResponse, detail: IMAGE_PROGRESS_DESCRIPTION },
    )
    .delete(
      '/files/upload/video/:bucketID/:clientID',
      async ({ caller, params, set }) => {
        await services.uploads.cancel(ownerOf(caller, params.clientID));
        set.status = 204;
      },
      { caller: 'upload', detail: STOP_DESCRIPTION },
    );
}

const ownerOf = (caller: Caller, clientId: string) => ({
  bucketId: caller.bucket.id,
  uploader: caller.uploader,
  clientId,
});

/* Uploads read their forms themselves, so the schemas for the API reference are written by hand. */

const security: Record<string, string[]>[] = [{ apiKey: [] }, { session: [] }, { writeToken: [] }];
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

const IMAGE_UPLOAD_DESCRIPTION = {
  operationId: 'uploadImage',
  summary: 'Upload an image',
  description: `Send a form with the file, and its fields before or after it: a JPEG, PNG, WebP, GIF, SVG, AVIF, HEIC, TIFF or BMP of at most 50 MiB and 100 megapixels. Returns 201 with the file, which is then processed. With a client_id, repeating an upload within 24 hours is safe: the same image returns the same file, and another one gets 409. With optimize=no, a JPEG, PNG, WebP or GIF is delivered byte for byte, with its metadata, and can still be transformed. ${REPLACED}`,
  tags: ['Uploads'],
  security,
  requestBody: form(
    'ImageUpload',
    { access, ...place, webp: yes, optimize: yes, client_id, file },
    ['file'],
  ),
};

const FILE_UPLOAD_DESCRIPTION = {
  operationId: 'uploadFile',
  summary: 'Upload a file of any type',
  description:
    "Send a form with the file, and its fields before or after it. The bytes are stored and delivered as they are, up to the server's limit. path is where the file is in its bucket, such as documents/2026/report.pdf, and its name by default. Where another file is there, on_conflict decides: rename, the default without a path, adds a number, as in report (2).pdf; replace deletes that file; error, the default with a path, answers 409 with the code path-taken. With If-None-Match: * an upload only creates a file, and with If-Match it only replaces the file with that ETag; otherwise the response is 412 with the code other-version.",
  tags: ['Uploads'],
  security,
  requestBody: form(
    'FileUpload',
    {
      access,
      ...place,
      file,
    },
    ['file'],
  ),
};

const VIDEO_UPLOAD_DESCRIPTION = {
  operationId: 'uploadVideoChunk',
  summary: 'Upload one chunk of a video',
  description: `Every chunk except the last must be exactly 9 MiB. Send chunks in any order within 24 hours; repeating one is safe. client_id identifies the upload: use a new one for each video. The fields can come before or after the file, and those of chunk 0 apply, as do its headers. With optimize=no, the video is stored and delivered byte for byte as a file, without a player. Returns 202 with the number of received chunks, and 201 with the file for the chunk that completes it. ${REPLACED}`,
  tags: ['Uploads'],
  security,
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

const PROBE_DESCRIPTION = {
  operationId: 'detectVideoResolution',
  summary: "Detect a video's resolution before uploading it",
  description:
    'Send the first 9 MiB or less as file. If the response is 422 with the code need-tail, as for a video whose index is at the end of the file, repeat the call and add the last 9 MiB or less as tail. Nothing is stored.',
  tags: ['Uploads'],
  security,
  requestBody: form('VideoProbe', { file, tail: file }, ['file']),
};

const PROGRESS_DESCRIPTION = {
  operationId: 'getVideoUpload',
  summary: 'List the received chunks of a video upload',
  description: 'To resume after a lost connection, send only the missing chunks, within 24 hours.',
  tags: ['Uploads'],
  security,
};

const IMAGE_PROGRESS_DESCRIPTION = {
  operationId: 'getImageUpload',
  summary: 'Find the file of an image upload by its client_id',
  description:
    'Where the response to an upload was lost, file_id says which file it has become. Returns 404 if the image has not arrived, and 24 hours later.',
  tags: ['Uploads'],
  security,
};

const STOP_DESCRIPTION = {
  operationId: 'cancelVideoUpload',
  summary: 'Cancel a video upload and delete its chunks',
  tags: ['Uploads'],
  security,
  ...openApiResponses({
    204: 'Cancelled; nothing is stored.',
    409: 'The upload is complete. Delete the file instead.',
  }),
};
