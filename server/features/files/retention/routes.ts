import { Elysia } from 'elysia';
import {
  FileResponse,
  RestoreQuery,
  TrashPageResponse,
  TrashQuery,
  VersionListResponse,
} from '../../../contract/schemas/files.ts';
import { bucketDetail } from '../../../web/http/openapi-responses.ts';
import { actorOf } from '../../access/principal.ts';
import type { Accounts } from '../../accounts/service.ts';
import type { Buckets } from '../../buckets/service.ts';
import { bucketGuard } from '../../tokens/guard.ts';
import type { Tokens } from '../../tokens/service.ts';
import type { Restores } from './restores.ts';
import type { Trash } from './trash.ts';

const detail = bucketDetail('Files');

type TrashServices = {
  accounts: Accounts;
  buckets: Buckets;
  tokens: Tokens;
  files: { trash: Trash; restores: Restores };
};

/** Mounts the calls for deleted files and earlier versions, which need a session or the bucket's API key. */
export const trashRoutes = (services: TrashServices) =>
  new Elysia().use(trashCalls(services)).use(restoreCalls(services));

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
