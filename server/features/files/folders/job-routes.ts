import { Elysia } from 'elysia';
import {
  FolderJobBody,
  FolderJobResponse,
  FolderJobsResponse,
} from '../../../contract/schemas/folder-jobs.ts';
import { invalid } from '../../../errors.ts';
import { bucketDetail } from '../../../web/http/openapi-responses.ts';
import { actorOf } from '../../access/principal.ts';
import { bucketGuard, type Caller, type GuardServices, requireUpload } from '../../tokens/guard.ts';
import type { FolderChange, FolderJobs } from './folder-jobs.ts';
import { requireFolderPath } from './routes.ts';

const detail = bucketDetail('Files');

type JobServices = GuardServices & { files: { folderJobs: FolderJobs } };

async function parseChange(
  { buckets }: Pick<JobServices, 'buckets'>,
  { bucket, principal }: Caller,
  body: typeof FolderJobBody.static,
): Promise<FolderChange> {
  const source = requireFolderPath(body.path);
  if (body.action === 'delete') return { action: 'delete', source };
  if (body.target === undefined) throw invalid('target must say where the folder goes.');
  const target = requireFolderPath(body.target, 'target');
  if (body.action === 'move') return { action: 'move', source, target };
  const { bucket_id: other = bucket.id } = body;
  const { id: targetBucketId } = requireUpload(principal, await buckets.byId(other));
  return { action: 'copy', source, target, targetBucketId };
}

/** Mounts the calls that move, copy and delete folders, which need a session or the bucket's API key. */
export function folderJobRoutes(services: JobServices) {
  const { folderJobs } = services.files;
  return new Elysia()
    .use(bucketGuard(services))
    .post(
      '/files/folder-jobs/:bucketID',
      async ({ caller, body, set }) => {
        const change = await parseChange(services, caller, body);
        set.status = 202;
        return folderJobs.start(caller.bucket, change, actorOf(caller.principal));
      },
      {
        caller: 'write',
        body: FolderJobBody,
        response: { 202: FolderJobResponse },
        ...detail('startFolderJob', 'Move, rename, copy or delete a folder with all files in it', {
          409: 'A folder of the bucket is being moved, copied or deleted.',
        }),
      },
    )
    .get('/files/folder-jobs/:bucketID', ({ caller }) => folderJobs.list(caller.bucket.id), {
      caller: 'read',
      response: FolderJobsResponse,
      ...detail(
        'listFolderJobs',
        'List the last 20 moves, copies and deletions of folders, running ones and those of the last week',
      ),
    })
    .get(
      '/files/folder-jobs/:bucketID/:jobID',
      ({ caller, params }) => folderJobs.get(caller.bucket.id, params.jobID),
      {
        caller: 'read',
        response: FolderJobResponse,
        ...detail('getFolderJob', 'Get how far the move, the copy or the deletion of a folder is'),
      },
    )
    .delete(
      '/files/folder-jobs/:bucketID/:jobID',
      ({ caller, params }) => folderJobs.stop(caller.bucket.id, params.jobID),
      {
        caller: 'write',
        response: FolderJobResponse,
        ...detail(
          'stopFolderJob',
          'Stop moving, copying or deleting a folder; what was done stays done',
        ),
      },
    );
}
