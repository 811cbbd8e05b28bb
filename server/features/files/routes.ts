import { Elysia } from 'elysia';
import {
  FileDetailResponse,
  FileListQuery,
  FilePageResponse,
} from '../../contract/schemas/files.ts';
import type { Clock } from '../../platform/clock.ts';
import { bucketDetail } from '../../web/http/openapi-responses.ts';
import { actorOf } from '../access/principal.ts';
import { bucketGuard, type GuardServices } from '../tokens/guard.ts';
import { changeRoutes } from './changes/routes.ts';
import { copyRoutes } from './copies/routes.ts';
import { folderJobRoutes } from './folders/job-routes.ts';
import { folderRoutes } from './folders/routes.ts';
import { trashRoutes } from './retention/routes.ts';
import type { Files } from './service.ts';
import { zipRoutes } from './zips/routes.ts';

const detail = bucketDetail('Files');

type FileServices = GuardServices & { files: Files; clock: Clock };

/** Returns the calls for files, which need a session or the bucket's API key. */
export const fileRoutes = (services: FileServices) => [
  singleFileRoutes(services),
  ...changeRoutes(services),
  folderRoutes(services),
  ...trashRoutes(services),
  folderJobRoutes(services),
  zipRoutes(services),
  copyRoutes(services),
];

/** Mounts the list of files, and what concerns one of them. */
function singleFileRoutes(services: FileServices) {
  const { files } = services;
  return new Elysia()
    .use(bucketGuard(services))
    .get('/files/:bucketID', ({ caller, query }) => files.list(caller, query), {
      caller: 'read',
      query: FileListQuery,
      response: FilePageResponse,
      ...detail('listFiles', 'List the files of a bucket, with a read token valid for one hour'),
    })
    .get('/files/:bucketID/:fileID', ({ caller, params }) => files.detail(caller, params.fileID), {
      caller: 'read',
      response: FileDetailResponse,
      ...detail(
        'getFile',
        'Get a file with its variants, processing status and a read token valid for one hour',
      ),
    })
    .delete(
      '/files/:bucketID/:fileID',
      async ({ caller: { bucket, principal }, params, set }) => {
        await files.deletion.deleteFile(bucket, params.fileID, actorOf(principal));
        set.status = 204;
      },
      {
        caller: 'write',
        ...detail(
          'deleteFile',
          'Delete a file; delivery stops immediately. Where keep_deleted_days is set, it can be restored',
          { 204: 'Deleted.' },
        ),
      },
    );
}
