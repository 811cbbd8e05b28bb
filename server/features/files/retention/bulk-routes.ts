import { Elysia } from 'elysia';
import {
  BulkPurgeBody,
  BulkResponse,
  BulkRestoreBody,
} from '../../../contract/schemas/bulk-changes.ts';
import { bucketDetail } from '../../../web/http/openapi-responses.ts';
import { actorOf } from '../../access/principal.ts';
import type { Accounts } from '../../accounts/service.ts';
import type { Buckets } from '../../buckets/service.ts';
import { bucketGuard, type Caller } from '../../tokens/guard.ts';
import type { Tokens } from '../../tokens/service.ts';
import type { BulkTrash } from './bulk-trash.ts';

const detail = bucketDetail('Files');

type TrashServices = {
  accounts: Accounts;
  buckets: Buckets;
  tokens: Tokens;
  files: { bulkTrash: BulkTrash };
};

/** Mounts the calls for many deleted files, which need a session or the bucket's API key. */
export function bulkTrashRoutes(services: TrashServices) {
  const { bulkTrash } = services.files;
  const filesOf = ({ bucket, principal, keepConnected }: Caller, ids: string[]) => ({
    ...{ bucket, ids, actor: actorOf(principal), keepConnected },
  });
  return new Elysia()
    .use(bucketGuard(services))
    .post(
      '/files/bulk/restore/:bucketID',
      ({ caller, body }) =>
        bulkTrash.restoreFiles(filesOf(caller, body.ids), body.on_conflict ?? 'error'),
      {
        caller: 'write',
        body: BulkRestoreBody,
        response: BulkResponse,
        ...detail('restoreFiles', 'Restore up to 1,000 deleted files, with a result for each'),
      },
    )
    .post(
      '/files/bulk/purge/:bucketID',
      ({ caller, body }) => bulkTrash.purgeFiles(filesOf(caller, body.ids)),
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
