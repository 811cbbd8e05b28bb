import { Elysia } from 'elysia';
import {
  FileDetailResponse,
  FileListQuery,
  FilePageResponse,
} from '../../contract/schemas/files.ts';
import type { Clock } from '../../platform/clock.ts';
import { bucketDetail } from '../../web/http/openapi-responses.ts';
import { actorOf } from '../access/principal.ts';
import type { Accounts } from '../accounts/service.ts';
import type { Buckets } from '../buckets/service.ts';
import { bucketGuard } from '../tokens/guard.ts';
import type { Tokens } from '../tokens/service.ts';
import { changeRoutes } from './changes/routes.ts';
import { copyRoutes } from './copies/routes.ts';
import { folderJobRoutes } from './folders/job-routes.ts';
import { folderRoutes } from './folders/routes.ts';
import { pathRoutes } from './paths/routes.ts';
import { bulkTrashRoutes } from './retention/bulk-routes.ts';
import { trashRoutes } from './retention/routes.ts';
import type { Files } from './service.ts';
import { zipRoutes } from './zips/routes.ts';

const detail = bucketDetail('Files');

type FileServices = {
  accounts: Accounts;
  buckets: Buckets;
  tokens: Tokens;
  files: Files;
  clock: Clock;
};

/** Mounts the calls for files, which need a session or the bucket's API key. */
export function fileRoutes(services: FileServices) {
  return new Elysia()
    .use(bucketGuard(services))
    .get('/files/:bucketID', ({ caller, query }) => services.files.list(caller, query), {
      caller: 'read',
      query: FileListQuery,
      response: FilePageResponse,
      ...detail('listFiles', 'List the files of a bucket, with a read token valid for one hour'),
    })
    .get(
      '/files/:bucketID/:fileID',
      ({ caller, params }) => services.files.detail(caller, params.fileID),
      {
        caller: 'read',
        response: FileDetailResponse,
        ...detail(
          'getFile',
          'Get a file with its variants, processing status and a read token valid for one hour',
        ),
      },
    )
    .use(pathRoutes(services))
    .use(changeRoutes(services))
    .use(folderRoutes(services))
    .use(trashRoutes(services))
    .use(bulkTrashRoutes(services))
    .use(folderJobRoutes(services))
    .use(zipRoutes(services))
    .use(copyRoutes(services))
    .use(fileActions(services));
}

/** Mounts the calls that change a file. */
function fileActions(services: FileServices) {
  return new Elysia().use(bucketGuard(services)).delete(
    '/files/:bucketID/:fileID',
    async ({ caller, params, set }) => {
      await services.files.deletion.deleteFile(
        caller.bucket,
        params.fileID,
        actorOf(caller.principal),
      );
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
