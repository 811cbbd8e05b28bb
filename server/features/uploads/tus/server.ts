import { Server } from '@tus/server';
import { LRUCache } from 'lru-cache';
import { IMAGE_MAX_BYTES } from '../../../contract/limits.ts';
import { AppError, tooLarge } from '../../../errors.ts';
import type { Events } from '../../../platform/events/port.ts';
import { growingTo } from '../../../platform/growing-cache.ts';
import { newId } from '../../../platform/ids.ts';
import type { Locks } from '../../../platform/locks/port.ts';
import type { RegionRouter } from '../../../platform/region-routing.ts';
import type { Caller } from '../../tokens/guard.ts';
import { ObjectDataStore, type UploadOwner } from './data-store.ts';
import { asTusError, checkUpload, type FinishServices, finishUpload } from './finish.ts';
import { createLocker } from './locker.ts';
import { parseMetadata } from './request-headers.ts';
import * as store from './store.ts';

export type TusServices = FinishServices & {
  appUrl: string;
  maxVideoBytes: number;
  regionRouter: RegionRouter;
  locks: Locks;
  events: Events;
};

const MAX_OWNERS = 10_000;

/**
 * Creates the server of the tus library with our store. `callerOf` returns the caller of a request, and
 * `onError` gets our error that is its response.
 */
export function createTusServer(
  services: TusServices,
  callerOf: (request: unknown) => Caller | undefined,
  onError: (request: object, error: AppError) => void,
): Server {
  const { database, clock, appUrl } = services;
  /** The owners of the uploads that are being created. A client may disappear in between. */
  const owners = new LRUCache<string, UploadOwner>(growingTo(MAX_OWNERS));

  return new Server({
    path: TUS_PATH,
    locker: createLocker(services.locks, services.events),
    maxSize: services.maxVideoBytes,
    allowedHeaders: ['Authorization', 'X-Api-Key', 'Upload-Checksum'],
    exposedHeaders: ['X-File-Id', 'X-Error-Code', 'Tus-Checksum-Algorithm'],
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
    generateUrl: (request, { id }) => `${appUrl}${TUS_PATH}/${callerOf(request)?.bucket.id}/${id}`,
    getFileIdFromRequest: (request) => idIn(request.url),
    onUploadCreate: async (request, upload) => {
      const { fileType } = parseMetadata(upload.metadata);
      if (fileType?.startsWith('image/') && (upload.size ?? 0) > IMAGE_MAX_BYTES) {
        throw tooLarge('Images can be at most 50 MiB.');
      }
      const caller = callerOf(request);
      if (caller) {
        const { bucket, uploader } = caller;
        const { root } = services.regionRouter(bucket.region);
        owners.set(upload.id, { bucket, uploader, root });
      }
      return {};
    },
    onUploadFinish: async (_request, upload) => {
      const row = await store.findUpload(database.db, upload.id, clock());
      return { headers: { 'X-File-Id': row?.file_id ?? '' } };
    },
    onResponseError: (request, error) => {
      if (error instanceof AppError) onError(request, error);
      return asTusError(error);
    },
  });
}

/** The path of uploads, which is followed by `/{bucketID}` and `/{uploadID}`. */
const TUS_PATH = '/files/tus';

/** Returns the id of the upload in a URL; undefined where it has none. */
export const idIn = (url: string): string | undefined => new URL(url).pathname.split('/')[4];
