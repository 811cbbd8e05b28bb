import { Elysia } from 'elysia';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/port.ts';
import type { ObjectStore } from '../../platform/objects/port.ts';
import type { Queue } from '../../platform/queue/queue.ts';
import type { Accounts } from '../accounts/service.ts';
import type { Buckets } from '../buckets/service.ts';
import type { Files } from '../files/service.ts';
import { bucketGuard } from '../tokens/guard.ts';
import type { Tokens } from '../tokens/service.ts';
import { IMAGE_DETAIL, VIDEO_DETAIL } from './details.ts';
import { uploadImage } from './image.ts';
import { uploadVideoChunk } from './video.ts';

export function uploadRoutes(services: {
  accounts: Accounts;
  buckets: Buckets;
  tokens: Tokens;
  files: Files;
  database: Database;
  objects: ObjectStore;
  clock: Clock;
  queue: Queue;
  maxVideoBytes: number;
  keepOriginals: boolean;
}) {
  return new Elysia({ prefix: '/files/upload' })
    .use(bucketGuard(services))
    .post(
      '/image/:bucketID',
      async ({ caller, request, status }) =>
        status(201, await uploadImage(services, caller.bucket, request)),
      { caller: 'upload', parse: 'none', detail: IMAGE_DETAIL },
    )
    .post(
      '/video/:bucketID',
      async ({ caller, request, status }) => {
        const { file, ...progress } = await uploadVideoChunk(services, caller, request);
        return file ? status(201, file) : status(202, progress);
      },
      { caller: 'upload', parse: 'none', detail: VIDEO_DETAIL },
    );
}
