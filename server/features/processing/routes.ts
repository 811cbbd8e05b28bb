import { Elysia } from 'elysia';
import { bucketDetail } from '../../web/http/openapi-responses.ts';
import { actorOf } from '../access/principal.ts';
import { bucketGuard, type GuardServices } from '../tokens/guard.ts';
import type { Processing } from './service.ts';

const detail = bucketDetail('Files');

type ProcessingServices = GuardServices & { processing: Pick<Processing, 'retries'> };

/** Mounts the call that processes a file again, which needs a session or the bucket's API key. */
export const processingRoutes = (services: ProcessingServices) =>
  new Elysia().use(bucketGuard(services)).post(
    '/files/:bucketID/:fileID/retry',
    async ({ caller, params, set }) => {
      const { retries } = services.processing;
      await retries.retryFile(caller.bucket, params.fileID, actorOf(caller.principal));
      set.status = 204;
    },
    {
      caller: 'write',
      ...detail('retryFile', 'Process a failed file again, until the time in retry_until', {
        204: 'Queued.',
        409: "The file can't be retried.",
      }),
    },
  );
