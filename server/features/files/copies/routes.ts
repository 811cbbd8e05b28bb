import { Elysia } from 'elysia';
import { BulkCopyBody, BulkResponse, CopyBody } from '../../../contract/schemas/bulk-changes.ts';
import { FileResponse } from '../../../contract/schemas/files.ts';
import { bucketDetail } from '../../../web/http/openapi-responses.ts';
import { actorOf } from '../../access/principal.ts';
import { bucketGuard, type Caller, type GuardServices, requireUpload } from '../../tokens/guard.ts';
import { requireFolder, requirePath } from '../paths/paths.ts';
import type { BulkCopies } from './bulk-copies.ts';

const detail = bucketDetail('Files');

type CopyServices = GuardServices & { files: { bulkCopies: BulkCopies } };

/** Mounts the calls that copy files. They need a session, or the bucket's API key for copies within it. */
export function copyRoutes(services: CopyServices) {
  const { bulkCopies } = services.files;
  const targetOf = async ({ bucket, principal }: Caller, id = bucket.id) => ({
    bucket: requireUpload(principal, await services.buckets.byId(id)),
    actor: actorOf(principal),
  });
  return new Elysia()
    .use(bucketGuard(services))
    .post(
      '/files/copy/:bucketID/:fileID',
      async ({ caller, params, body }) =>
        bulkCopies.copyFile(caller.bucket.id, params.fileID, {
          ...(await targetOf(caller, body.bucket_id)),
          path: body.path === undefined ? null : requirePath(body.path),
          onConflict: body.on_conflict ?? (body.path === undefined ? 'rename' : 'error'),
        }),
      {
        caller: 'read',
        body: CopyBody,
        response: FileResponse,
        ...detail('copyFile', 'Copy a file to another path, also in another bucket', {
          409: 'Another file is at the path, or the file is being processed.',
        }),
      },
    )
    .post(
      '/files/bulk/copy/:bucketID',
      async ({ caller, body }) =>
        bulkCopies.copyFiles(caller.bucket.id, body.ids, {
          ...(await targetOf(caller, body.bucket_id)),
          folder: requireFolder(body.folder),
          onConflict: body.on_conflict ?? 'error',
          keepConnected: caller.keepConnected,
        }),
      {
        caller: 'read',
        body: BulkCopyBody,
        response: BulkResponse,
        ...detail(
          'copyFiles',
          'Copy up to 1,000 files into a folder, also of another bucket, with a result for each',
        ),
      },
    );
}
