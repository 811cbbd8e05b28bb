import { Elysia } from 'elysia';
import {
  FileDetailResponse,
  FileListQuery,
  FilePageResponse,
} from '../../contract/schemas/files.ts';
import { openApiResponses } from '../../web/http/openapi-responses.ts';
import type { Accounts } from '../accounts/service.ts';
import type { Buckets } from '../buckets/service.ts';
import { actorOf, bucketGuard } from '../tokens/guard.ts';
import type { Tokens } from '../tokens/service.ts';
import type { Files } from './service.ts';

/** Mounts the calls for files, which need a session or the bucket's API key. */
export function fileRoutes(services: {
  accounts: Accounts;
  buckets: Buckets;
  tokens: Tokens;
  files: Files;
}) {
  return new Elysia()
    .use(bucketGuard(services))
    .get('/files/:bucketID', ({ caller, query }) => services.files.list(caller.bucket, query), {
      caller: 'manage',
      query: FileListQuery,
      response: FilePageResponse,
      detail: {
        summary: 'List the files of a bucket, with a read token valid for one hour',
        tags: ['Files'],
        security: [{ apiKey: [] }, { session: [] }],
      },
    })
    .get(
      '/files/:bucketID/:fileID',
      ({ caller, params }) => services.files.detail(caller.bucket, params.fileID),
      {
        caller: 'manage',
        response: FileDetailResponse,
        detail: {
          summary:
            'Get a file with its variants, processing status and a read token valid for one hour',
          tags: ['Files'],
          security: [{ apiKey: [] }, { session: [] }],
        },
      },
    )
    .delete(
      '/files/:bucketID/:fileID',
      async ({ caller, params, set }) => {
        await services.files.deletion.deleteFile(caller.bucket, params.fileID, actorOf(caller));
        set.status = 204;
      },
      {
        caller: 'manage',
        detail: {
          summary: 'Delete a file; delivery stops immediately',
          tags: ['Files'],
          security: [{ apiKey: [] }, { session: [] }],
          ...openApiResponses({ 204: 'Deleted.' }),
        },
      },
    );
}
