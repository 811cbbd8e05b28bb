import { Elysia } from 'elysia';
import { SECOND } from '../../../contract/limits.ts';
import { FileResponse } from '../../../contract/schemas/files.ts';
import { UrlImportBody } from '../../../contract/schemas/imports.ts';
import { badRequest, tooMany } from '../../../errors.ts';
import { FairLimiter } from '../../../platform/fair-limiter.ts';
import { uploadDetail } from '../../../web/http/openapi-responses.ts';
import { bucketGuard, type Caller, type GuardServices } from '../../tokens/guard.ts';
import { whileKeptConnected, whileReceiving } from '../receiving.ts';
import { type ImportDeps, importUrl, parseUrlImport } from './import-url.ts';

/**
 * An import lasts as long as its server likes. So only those of the same account count: with servers of their own,
 * some accounts could keep all others from their places.
 */
const LIMITS = {
  running: Number.POSITIVE_INFINITY,
  runningPerKey: 4,
  waiting: Number.POSITIVE_INFINITY,
  waitingPerKey: 16,
};
const RETRY_AFTER_MS = 10 * SECOND;

const tooManyImports = () =>
  tooMany('Too many files of this account are being imported. Try again later.', RETRY_AFTER_MS);

/** Mounts the import of a file from a URL, which needs what an upload does. */
export function importRoutes(services: ImportDeps & GuardServices) {
  const limiter = new FairLimiter(LIMITS, tooManyImports);
  return new Elysia().use(bucketGuard(services)).post(
    '/files/import/:bucketID',
    async ({ caller, body, request, status }) => {
      const wanted = parseUrlImport(caller, body, request.headers);
      const work = (signal: AbortSignal) => importUrl(services, caller, wanted, signal);
      return status(201, await runImport(limiter, caller, request.signal, work));
    },
    {
      caller: 'upload',
      body: UrlImportBody,
      response: { 201: FileResponse },
      detail: DESCRIPTION,
    },
  );
}

/**
 * Runs an import in its turn, for as long as its client waits for it and may store files. The client hears nothing
 * meanwhile.
 */
function runImport<Result>(
  limiter: FairLimiter,
  caller: Caller,
  disconnected: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  return whileKeptConnected(caller, () =>
    whileReceiving(caller, ({ ended }) => {
      const signal = AbortSignal.any([ended, disconnected]);
      return limiter
        .run(caller.bucket.user_id, () => work(signal), signal)
        .catch((error) => {
          throw disconnected.aborted ? badRequest('The request was cancelled.') : error;
        });
    }),
  );
}

const DESCRIPTION = {
  ...uploadDetail('importFile', 'Import a file from a URL', {
    413: 'The file is larger than the server or the bucket accepts.',
    415: "The bucket doesn't accept files of this type.",
    429: 'Too many files of the account are being imported.',
  }).detail,
  description:
    "The server downloads the file and stores it as an upload of the same bytes: an image or a video is processed, with the fields of their uploads, and another file, or one with optimize=no, is stored as it is. It is named as the download says, or after the URL. folder, path, on_conflict, If-Match and If-None-Match work as for an upload. Up to 5 redirects are followed. Private addresses, and URLs with a password, are refused. The response is sent when the whole file is stored; cancelling the request cancels the import. Of an account, 4 imports run at a time and 16 wait. Where the URL doesn't lead to a file, the response is 422 with the code download-failed.",
};
