import { Elysia } from 'elysia';
import { FolderJobBody, FolderJobResponse } from '../../../contract/schemas/folder-jobs.ts';
import { invalid } from '../../../errors.ts';
import { bucketDetail } from '../../../web/http/openapi-responses.ts';
import { actorOf } from '../../access/principal.ts';
import type { Accounts } from '../../accounts/service.ts';
import type { Buckets } from '../../buckets/service.ts';
import { bucketGuard } from '../../tokens/guard.ts';
import type { Tokens } from '../../tokens/service.ts';
import type { FolderChange, FolderJobs } from './folder-jobs.ts';
import { requireFolderPath } from './routes.ts';

const detail = bucketDetail('Files');

type JobServices = {
  accounts: Accounts;
  buckets: Buckets;
  tokens: Tokens;
  files: { folderJobs: FolderJobs };
};

function parseChange(body: typeof FolderJobBody.static): FolderChange {
  const source = requireFolderPath(body.path);
  if (body.action === 'delete') return { action: 'delete', source };
  if (body.target === undefined) throw invalid('target must say where the folder goes.');
  return { action: 'move', source, target: requireFolderPath(body.target, 'target') };
}

/** Mounts the calls that move and delete folders, which need a session or the bucket's API key. */
export function folderJobRoutes(services: JobServices) {
  const { folderJobs } = services.files;
  return new Elysia()
    .use(bucketGuard(services))
    .post(
      '/files/folder-jobs/:bucketID',
      async ({ caller, body, set }) => {
        const actor = actorOf(caller.principal);
        const job = await folderJobs.start(caller.bucket, parseChange(body), actor);
        set.status = 202;
        return job;
      },
      {
        caller: 'write',
        body: FolderJobBody,
        response: { 202: FolderJobResponse },
        ...detail('startFolderJob', 'Move, rename or delete a folder with all files in it', {
          409: 'A folder of the bucket is being moved or deleted.',
        }),
      },
    )
    .get(
      '/files/folder-jobs/:bucketID/:jobID',
      ({ caller, params }) => folderJobs.get(caller.bucket.id, params.jobID),
      {
        caller: 'read',
        response: FolderJobResponse,
        ...detail('getFolderJob', 'Get how far the move or the deletion of a folder is'),
      },
    )
    .delete(
      '/files/folder-jobs/:bucketID/:jobID',
      ({ caller, params }) => folderJobs.stop(caller.bucket.id, params.jobID),
      {
        caller: 'write',
        response: FolderJobResponse,
        ...detail('stopFolderJob', 'Stop moving or deleting a folder; what was done stays done'),
      },
    );
}
