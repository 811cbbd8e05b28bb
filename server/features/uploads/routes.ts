import { Elysia } from 'elysia';
import {
  FileAnswer,
  ProbeAnswer,
  ReceivedAnswer,
  UploadAnswer,
} from '../../contract/schemas/files.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/port.ts';
import type { Queue } from '../../platform/queue/queue.ts';
import type { RegionRouter } from '../../platform/region-routing.ts';
import type { ObjectStore } from '../../platform/storage/port.ts';
import type { Accounts } from '../accounts/service.ts';
import type { Buckets } from '../buckets/service.ts';
import type { Files, MediaProcess } from '../files/service.ts';
import { bucketGuard, type Caller } from '../tokens/guard.ts';
import type { Tokens } from '../tokens/service.ts';
import { uploadVideoChunk } from './chunked/video-upload.ts';
import { uploadImage } from './image-upload.ts';
import {
  IMAGE_UPLOAD_DESCRIPTION,
  PROBE_DESCRIPTION,
  PROGRESS_DESCRIPTION,
  STOP_DESCRIPTION,
  VIDEO_UPLOAD_DESCRIPTION,
} from './parsing/upload-description.ts';
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
  media: MediaProcess;
  maxVideoBytes: number;
};

/** Forms are read as they come, by whoever handles them. */
const UNPARSED = { caller: 'upload', parse: 'none' } as const;

/** Uploads of images, and of videos by chunks: by session, API key or write token. */
export function uploadRoutes(services: UploadServices) {
  const probe = createProbe(services);
  return new Elysia()
    .use(bucketGuard(services))
    .post(
      '/files/upload/image/:bucketID',
      async ({ caller, request, status }) =>
        status(201, await uploadImage(services, caller.bucket, request)),
      { ...UNPARSED, response: { 201: FileAnswer }, detail: IMAGE_UPLOAD_DESCRIPTION },
    )
    .post(
      '/files/upload/video/:bucketID',
      async ({ caller, request, status }) => {
        const { file, ...progress } = await uploadVideoChunk(services, caller, request);
        return file ? status(201, file) : status(202, progress);
      },
      {
        ...UNPARSED,
        response: { 201: FileAnswer, 202: ReceivedAnswer },
        detail: VIDEO_UPLOAD_DESCRIPTION,
      },
    )
    .post(
      '/files/resolution/video/:bucketID',
      async ({ caller, request }) => {
        const { width, height } = await probe(caller.bucket.id, request);
        return { resolution: `${width}x${height}` };
      },
      { ...UNPARSED, response: ProbeAnswer, detail: PROBE_DESCRIPTION },
    )
    .get(
      '/files/upload/video/:bucketID/:clientID',
      ({ caller, params }) => services.uploads.progress(ownerOf(caller, params.clientID)),
      { caller: 'upload', response: UploadAnswer, detail: PROGRESS_DESCRIPTION },
    )
    .delete(
      '/files/upload/video/:bucketID/:clientID',
      async ({ caller, params, set }) => {
        await services.uploads.stop(ownerOf(caller, params.clientID));
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
