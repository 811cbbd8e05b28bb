import { Elysia } from 'elysia';
import {
  BulkAccessBody,
  BulkDeleteBody,
  BulkMoveBody,
  BulkResponse,
} from '../../../contract/schemas/bulk-changes.ts';
import { FileChange, FileResponse } from '../../../contract/schemas/files.ts';
import type { Clock } from '../../../platform/clock.ts';
import { bucketDetail } from '../../../web/http/openapi-responses.ts';
import { actorOf } from '../../access/principal.ts';
import { bucketGuard, type GuardServices } from '../../tokens/guard.ts';
import { requireFolder, requirePath } from '../paths/paths.ts';
import { type BulkChanges, bulkFilesOf } from './bulk.ts';
import { parseFields } from './fields.ts';
import type { FileUpdates } from './updates.ts';

const detail = bucketDetail('Files');

type ChangeServices = GuardServices & {
  files: { bulk: BulkChanges; updates: FileUpdates };
  clock: Clock;
};

/** Returns the calls that change files, which need a session or the bucket's API key. */
export const changeRoutes = (services: ChangeServices) => [
  updateRoute(services),
  bulkRoutes(services),
];

function updateRoute(services: ChangeServices) {
  const { files, clock } = services;
  return new Elysia().use(bucketGuard(services)).patch(
    '/files/:bucketID/:fileID',
    ({ caller, params, body }) =>
      files.updates.updateFile(caller.bucket, params.fileID, {
        ...(body.path !== undefined && { path: requirePath(body.path) }),
        onConflict: body.on_conflict ?? 'error',
        fields: parseFields(body, clock()),
        actor: actorOf(caller.principal),
      }),
    {
      caller: 'write',
      body: FileChange,
      response: FileResponse,
      ...detail(
        'updateFile',
        'Move a file to another path, or change who may open it, when it expires and its metadata; its id stays',
        { 409: 'Another file is at the path.' },
      ),
    },
  );
}

function bulkRoutes(services: ChangeServices) {
  const { bulk } = services.files;
  return new Elysia()
    .use(bucketGuard(services))
    .post(
      '/files/bulk/delete/:bucketID',
      ({ caller, body }) => bulk.deleteFiles(bulkFilesOf(caller, body)),
      {
        caller: 'write',
        body: BulkDeleteBody,
        response: BulkResponse,
        ...detail('deleteFiles', 'Delete up to 1,000 files, with a result for each'),
      },
    )
    .post(
      '/files/bulk/move/:bucketID',
      ({ caller, body }) =>
        bulk.moveFiles(bulkFilesOf(caller, body), {
          folder: requireFolder(body.folder),
          onConflict: body.on_conflict ?? 'error',
        }),
      {
        caller: 'write',
        body: BulkMoveBody,
        response: BulkResponse,
        ...detail('moveFiles', 'Move up to 1,000 files into a folder, with a result for each'),
      },
    )
    .post(
      '/files/bulk/access/:bucketID',
      ({ caller, body }) => bulk.setAccess(bulkFilesOf(caller, body), body.access),
      {
        caller: 'write',
        body: BulkAccessBody,
        response: BulkResponse,
        ...detail(
          'changeAccess',
          'Make up to 1,000 files public or private, with a result for each',
        ),
      },
    );
}
