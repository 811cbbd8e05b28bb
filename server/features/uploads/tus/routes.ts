import { MemoryLocker, Server } from '@tus/server';
import { Elysia } from 'elysia';
import { IMAGE_MAX_BYTES } from '../../../contract/limits.ts';
import { notFound, tooLarge } from '../../../errors.ts';
import { isId, newId } from '../../../platform/ids.ts';
import type { Accounts } from '../../accounts/service.ts';
import { bucketGuard, type Caller } from '../../tokens/guard.ts';
import type { Tokens } from '../../tokens/service.ts';
import { ObjectDataStore, type UploadOwner } from './data-store.ts';
import { checkUpload, type FinishServices, finishUpload } from './finish.ts';
import { asTusError, fieldsOf } from './metadata.ts';
import * as store from './store.ts';

const PATH = '/files/tus';

const detail = (summary: string) => ({
  detail: {
    summary,
    description: 'tus 1.0.0, for any tus client; see https://tus.io/protocols/resumable-upload',
    tags: ['Uploads'],
    security: [{ apiKey: [] }, { session: [] }, { writeToken: [] }] as Record<string, string[]>[],
  },
});

/**
 * Resumable uploads by the tus protocol at `/files/tus/{bucketID}`. Any origin may send them, as
 * only bearer tokens and keys authorise. An upload is its uploader's: to others it is not there.
 */
export function tusRoutes(
  services: FinishServices & {
    accounts: Accounts;
    tokens: Tokens;
    appUrl: string;
    maxVideoBytes: number;
  },
) {
  const { database, clock, appUrl } = services;
  const callers = new WeakMap<Request, Caller>();
  /** Of the uploads that are being made at this moment. */
  const owners = new Map<string, UploadOwner>();
  const callerOf = (request: unknown) => callers.get(request as Request);

  const tus = new Server({
    path: PATH,
    locker: new MemoryLocker(),
    maxSize: services.maxVideoBytes,
    allowedHeaders: ['Authorization', 'X-Api-Key'],
    exposedHeaders: ['X-File-Id', 'X-Error-Code'],
    datastore: new ObjectDataStore(services, {
      takeOwner(id) {
        const owner = owners.get(id);
        owners.delete(id);
        return owner;
      },
      check: async (upload) => void (await checkUpload(services, upload)),
      finish: (upload) => finishUpload(services, upload),
    }),
    namingFunction: () => newId(clock()),
    generateUrl: (request, { id }) => `${appUrl}${PATH}/${callerOf(request)?.bucket.id}/${id}`,
    getFileIdFromRequest: (request) => new URL(request.url).pathname.split('/')[4],
    onUploadCreate: async (request, upload) => {
      const fields = fieldsOf(upload.metadata);
      const isImage = fields.get('filetype')?.startsWith('image/');
      if (isImage && (upload.size ?? 0) > IMAGE_MAX_BYTES) {
        throw tooLarge('An image may have at most 50 MiB.');
      }
      const caller = callerOf(request);
      if (caller) owners.set(upload.id, { bucketId: caller.bucket.id, uploader: caller.uploader });
      return {};
    },
    onUploadFinish: async (_request, upload) => {
      const row = await store.findUpload(database.db, upload.id, clock());
      return { headers: { 'X-File-Id': row?.file_id ?? '' } };
    },
    onResponseError: (_request, error) => asTusError(error),
  });

  const handle = async ({ request, caller }: { request: Request; caller: Caller }) => {
    const id = new URL(request.url).pathname.split('/')[4];
    if (id !== undefined) {
      const upload = isId(id) ? await store.findUpload(database.db, id, clock()) : undefined;
      const isTheirs =
        upload?.bucket_id === caller.bucket.id && upload.uploader === caller.uploader;
      if (!isTheirs) throw notFound('Upload');
    }
    callers.set(request, caller);
    return tus.handleWeb(request);
  };

  const one = `${PATH}/:bucketID/:uploadID`;
  const guarded = { caller: 'upload', parse: 'none' } as const;
  const preflight = ({ request }: { request: Request }) => tus.handleWeb(request);
  return new Elysia()
    .use(bucketGuard(services))
    .options(`${PATH}/*`, preflight)
    .post(`${PATH}/:bucketID`, handle, { ...guarded, ...detail('Begin a resumable upload') })
    .head(one, handle, guarded)
    .patch(one, handle, { ...guarded, ...detail('Send more of a resumable upload') })
    .delete(one, handle, { ...guarded, ...detail('Stop a resumable upload') });
}
