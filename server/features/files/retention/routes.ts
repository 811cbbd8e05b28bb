import { Elysia } from 'elysia';
import {
  BulkPurgeBody,
  BulkResponse,
  BulkRestoreBody,
} from '../../../contract/schemas/bulk-changes.ts';
import {
  FileResponse,
  RestoreQuery,
  TrashPageResponse,
  TrashQuery,
  VersionListResponse,
} from '../../../contract/schemas/files.ts';
import { bucketDetail } from '../../../web/http/openapi-responses.ts';
import { actorOf } from '../../access/principal.ts';
import { bucketGuard, type GuardServices } from '../../tokens/guard.ts';
import { bulkFilesOf } from '../changes/bulk.ts';
import type { Restores } from './restores.ts';
import type { Trash } from './trash.ts';

const detail = bucketDetail('Files');

type TrashServices = GuardServices & {
  files: { trash: Trash; restores: Restores };
};

/** Returns the calls for deleted files and earlier versions, which need a session or the bucket's API key. */
export const trashRoutes = (services: TrashServices) => [
  trashCalls(services),
  restoreCalls(services),
  bulkCalls(services),
];

function trashCalls(services: TrashServices) {
  const { trash } = services.files;
  return new Elysia()
    .use(bucketGuard(services))
    .get('/files/trash/:bucketID', ({ caller, query }) => trash.list(caller.bucket.id, query), {
      caller: 'read',
      query: TrashQuery,
      response: TrashPageResponse,
      ...detail('listTrash', 'List the deleted files of a bucket that can be restored'),
    })
    .delete(
      '/files/trash/:bucketID',
      async ({ caller, set }) => {
        await trash.empty(caller.bucket, actorOf(caller.principal));
        set.status = 204;
      },
      {
        caller: 'write',
        ...detail('emptyTrash', 'Empty the trash of a bucket', { 204: 'Empty.' }),
      },
    )
    .delete(
      '/files/trash/:bucketID/:fileID',
      async ({ caller, params, set }) => {
        await trash.deleteForGood(caller.bucket, params.fileID, actorOf(caller.principal));
        set.status = 204;
      },
      {
        caller: 'write',
        ...detail('purgeFile', 'Permanently delete a file in the trash, or an earlier version', {
          204: 'Deleted.',
        }),
      },
    );
}

function restoreCalls(services: TrashServices) {
  const { trash, restores } = services.files;
  return new Elysia()
    .use(bucketGuard(services))
    .get(
      '/files/:bucketID/:fileID/versions',
      ({ caller, params }) => trash.versions(caller.bucket.id, params.fileID),
      {
        caller: 'read',
        response: VersionListResponse,
        ...detail('listVersions', 'List the earlier versions of a file, newest first'),
      },
    )
    .post(
      '/files/:bucketID/:fileID/restore',
      ({ caller, params, query }) =>
        restores.restoreFile(caller.bucket, params.fileID, {
          onConflict: query.on_conflict ?? 'error',
          actor: actorOf(caller.principal),
        }),
      {
        caller: 'write',
        query: RestoreQuery,
        response: FileResponse,
        ...detail(
          'restoreFile',
          'Restore a deleted file, or an earlier version, which then replaces the file at its path',
          { 409: 'Another file is at the path.' },
        ),
      },
    );
}

function bulkCalls(services: TrashServices) {
  const { trash, restores } = services.files;
  return new Elysia()
    .use(bucketGuard(services))
    .post(
      '/files/bulk/restore/:bucketID',
      ({ caller, body }) =>
        restores.restoreFiles(bulkFilesOf(caller, body), body.on_conflict ?? 'error'),
      {
        caller: 'write',
        body: BulkRestoreBody,
        response: BulkResponse,
        ...detail('restoreFiles', 'Restore up to 1,000 deleted files, with a result for each'),
      },
    )
    .post(
      '/files/bulk/purge/:bucketID',
      ({ caller, body }) => trash.purgeFiles(bulkFilesOf(caller, body)),
      {
        caller: 'write',
        body: BulkPurgeBody,
        response: BulkResponse,
        ...detail(
          'purgeFiles',
          'Permanently delete up to 1,000 files in the trash, with a result for each',
        ),
      },
    );
}
