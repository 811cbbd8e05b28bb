import { Elysia } from 'elysia';
import {
  FileChange,
  FileResponse,
  FolderPageResponse,
  FolderQuery,
} from '../../../contract/schemas/files.ts';
import { openApiResponses } from '../../../web/http/openapi-responses.ts';
import { actorOf } from '../../access/principal.ts';
import type { Accounts } from '../../accounts/service.ts';
import type { Buckets } from '../../buckets/service.ts';
import { bucketGuard } from '../../tokens/guard.ts';
import type { Tokens } from '../../tokens/service.ts';
import type { Folders } from './folders.ts';
import type { Moves } from './moves.ts';
import { requirePath } from './paths.ts';

const SECURITY: Record<string, string[]>[] = [{ apiKey: [] }, { session: [] }];

type PathServices = {
  accounts: Accounts;
  buckets: Buckets;
  tokens: Tokens;
  files: { folders: Folders; moves: Moves };
};

/** Mounts the calls for the folders of a bucket, which need a session or the bucket's API key. */
export function pathRoutes(services: PathServices) {
  const { files } = services;
  return new Elysia()
    .use(bucketGuard(services))
    .get(
      '/files/folder/:bucketID',
      ({ caller, query }) => files.folders.list(caller, { ...query, prefix: query.prefix ?? '' }),
      {
        caller: 'read',
        query: FolderQuery,
        response: FolderPageResponse,
        detail: {
          operationId: 'listFolder',
          summary: 'List the files and folders in a folder of a bucket, by path',
          tags: ['Files'],
          security: SECURITY,
        },
      },
    )
    .patch(
      '/files/:bucketID/:fileID',
      ({ caller, params, body }) =>
        files.moves.moveFile(caller.bucket, params.fileID, {
          path: requirePath(body.path),
          onConflict: body.on_conflict ?? 'error',
          actor: actorOf(caller.principal),
        }),
      {
        caller: 'write',
        body: FileChange,
        response: FileResponse,
        detail: {
          operationId: 'moveFile',
          summary: 'Move a file to another path; its id and its URLs by id stay',
          tags: ['Files'],
          security: SECURITY,
          ...openApiResponses({ 409: 'Another file is at the path.' }),
        },
      },
    );
}
