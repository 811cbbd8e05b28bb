import { Server } from '@tus/server';
import type { Events } from '../../../platform/events/port.ts';
import { newId } from '../../../platform/ids.ts';
import type { Locks } from '../../../platform/locks/port.ts';
import { requireMayReplace } from '../parsing/destination.ts';
import type { Uploads } from '../service.ts';
import { requireFreePath } from '../sessions/complete-upload.ts';
import { parseMetadata } from '../sessions/description.ts';
import { findUpload } from '../sessions/store.ts';
import { checkUpload, requireClaimedSize } from './check.ts';
import { ObjectDataStore } from './data-store.ts';
import { translateError } from './errors.ts';
import { type FinishDeps, finishUpload } from './finish.ts';
import { createLocker } from './locker.ts';
import { currentRequest, idIn, TUS_PATH } from './request-headers.ts';

export type TusDeps = FinishDeps & {
  appUrl: string;
  isAppUrlSet: boolean;
  uploads: Pick<Uploads, 'stopping'>;
  locks: Pick<Locks, 'tryTake'>;
  events: Events;
};

/**
 * Creates the server of the tus library with our store. Where it responds with an error, the current
 * request has the error.
 */
export function createTusServer(deps: TusDeps): Server {
  const { database, clock } = deps;
  // A client knows at which address it has called us, where we don't.
  const base = deps.isAppUrlSet ? deps.appUrl : '';

  return new Server({
    path: TUS_PATH,
    locker: createLocker(deps.locks, deps.events),
    maxSize: Math.max(deps.maxVideoBytes, deps.maxFileBytes),
    datastore: new ObjectDataStore(deps, {
      check: (upload) => checkUpload(deps, upload),
      finish: (upload, hasher) => finishUpload(deps, upload, hasher),
    }),
    namingFunction: () => newId(clock()),
    generateUrl: (_request, { id }) =>
      `${base}${TUS_PATH}/${currentRequest().caller.bucket.id}/${id}`,
    getFileIdFromRequest: (request) => idIn(request.url),
    onUploadCreate: async (_request, upload) => {
      const { caller, preconditions } = currentRequest();
      const about = parseMetadata({ ...upload.metadata, ...preconditions });
      requireMayReplace(caller, about.destination);
      requireClaimedSize(deps, about.fileType, upload.size ?? 0);
      await requireFreePath(deps.files, caller.bucket.id, about, 'file');
      return {};
    },
    onUploadFinish: async (_request, upload) => {
      const row = await findUpload(database.db, upload.id);
      return { headers: { 'X-File-Id': row?.file_id ?? '' } };
    },
    onResponseError: (_request, error) => {
      currentRequest().error = translateError(error);
      return undefined;
    },
  });
}
