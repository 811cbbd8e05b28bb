import { Elysia } from 'elysia';
import { formatSize } from '../../contract/resolutions.ts';
import {
  FileResponse,
  ProbeResponse,
  ReceivedResponse,
  UploadResponse,
} from '../../contract/schemas/files.ts';
import type { MediaProcess } from '../processing/service.ts';
import { bucketGuard, type Caller, type GuardServices } from '../tokens/guard.ts';
import { createVideoUpload } from './chunked/video-upload.ts';
import {
  CANCEL_DESCRIPTION,
  FILE_UPLOAD_DESCRIPTION,
  IMAGE_PROGRESS_DESCRIPTION,
  IMAGE_UPLOAD_DESCRIPTION,
  PROBE_DESCRIPTION,
  PROGRESS_DESCRIPTION,
  VIDEO_UPLOAD_DESCRIPTION,
} from './descriptions.ts';
import { uploadFile } from './form/file-upload.ts';
import { uploadImage } from './form/image-upload.ts';
import type { ImportDeps } from './imports/import-url.ts';
import { importRoutes } from './imports/routes.ts';
import { createProbe } from './probe.ts';
import type { Uploads } from './service.ts';

type UploadServices = GuardServices & ImportDeps & { uploads: Uploads; media: MediaProcess };

/** The handlers read the forms themselves, as streams. */
const UNPARSED = { caller: 'upload', parse: 'none' } as const;

/** Returns the uploads. They need a session, an API key or a write token. */
export const uploadRoutes = (services: UploadServices) => [
  importRoutes(services),
  formRoutes(services),
];

/** Mounts the uploads of images and files by forms, and of videos in chunks. */
function formRoutes(services: UploadServices) {
  const probe = createProbe(services);
  const uploadVideoChunk = createVideoUpload(services);
  return new Elysia()
    .use(bucketGuard(services))
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
        const { file, ...progress } = await uploadVideoChunk(caller, request);
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
      { caller: 'upload', detail: CANCEL_DESCRIPTION },
    );
}

const ownerOf = (caller: Caller, clientId: string) => ({
  bucketId: caller.bucket.id,
  uploader: caller.uploader,
  clientId,
});
