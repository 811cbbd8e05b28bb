import { Elysia } from 'elysia';
import { MESSAGES } from '../../contract/messages.ts';
import { badRequest } from '../../errors.ts';

/** The paths of calls whose bucket id is empty. Some proxies merge two slashes into one. */
const CALLS = [
  ['DELETE', '/buckets/'],
  ['GET', '/buckets/chart'],
  ['GET', '/buckets/top-files'],
  ['PUT', '/buckets/name/webhook'],
  ['GET', '/buckets/transforms'],
  ['PUT', '/buckets/transforms'],
  ['PUT', '/buckets/bandwidth-limit'],
  ['PUT', '/buckets/delivery-rules'],
  ['PUT', '/buckets/retention'],
  ['PUT', '/buckets/upload-rules'],
  ['PUT', '/buckets/s3'],
  ['GET', '/buckets/source'],
  ['PUT', '/buckets/source'],
  ['DELETE', '/buckets/source'],
  ['DELETE', '/buckets/source//exclusions'],
  ['DELETE', '/buckets/source/exclusions'],
  ['GET', '/buckets/api-key'],
  ['PUT', '/buckets/roll/api-key'],
  ['GET', '/buckets/api-keys'],
  ['POST', '/buckets/api-keys'],
  ['DELETE', '/buckets/api-keys/:bucketID'],
  ['DELETE', '/buckets/api-keys//:keyID'],
  ['GET', '/buckets/tokens'],
  ['DELETE', '/buckets/tokens/:bucketID'],
  ['DELETE', '/buckets/tokens//:tokenID'],
  ['PUT', '/buckets/roll/webhook-secret'],
  ['POST', '/buckets/is/empty'],
  ['POST', '/buckets/jwt/:bucketID/:expires'],
  ['POST', '/buckets/jwt//:expires/:scope'],
  ['GET', '/buckets/webhook/secret'],
  ['GET', '/buckets/webhook/attempts'],
  ['POST', '/buckets/webhook/test'],
  ['POST', '/buckets/webhook/replay'],
  ['GET', '/buckets/webhook/attempts//:attemptID'],
  ['POST', '/buckets/webhook/replay//:attemptID'],
  ['GET', '/files'],
  ['GET', '/files//:fileID'],
  ['DELETE', '/files//:fileID'],
  ['PATCH', '/files//:fileID'],
  ['GET', '/files/folder'],
  ['POST', '/files/folder'],
  ['POST', '/files/folder-jobs'],
  ['GET', '/files/folder-jobs'],
  ['GET', '/files/folder-jobs//:jobID'],
  ['DELETE', '/files/folder-jobs//:jobID'],
  ['DELETE', '/files/folder'],
  ['POST', '/files/copy//:fileID'],
  ['POST', '/files/bulk/copy'],
  ['POST', '/files/zip'],
  ['GET', '/files/zip//:zipID'],
  ['POST', '/files/bulk/restore'],
  ['POST', '/files/bulk/purge'],
  ['POST', '/files/bulk/delete'],
  ['POST', '/files/bulk/move'],
  ['POST', '/files/bulk/access'],
  ['GET', '/files/trash'],
  ['DELETE', '/files/trash'],
  ['DELETE', '/files/trash//:fileID'],
  ['GET', '/files//:fileID/versions'],
  ['POST', '/files//:fileID/restore'],
  ['POST', '/files//:fileID/retry'],
  ['GET', '/files/upload/video//:clientID'],
  ['DELETE', '/files/upload/video//:clientID'],
  ['GET', '/files/upload/image//:clientID'],
  ['POST', '/files/import'],
  ['POST', '/files/s3-imports'],
  ['GET', '/files/s3-imports'],
  ['GET', '/files/s3-imports//:importID'],
  ['DELETE', '/files/s3-imports//:importID'],
  ['POST', '/files/upload/file'],
  ['POST', '/files/upload/image'],
  ['POST', '/files/upload/video'],
  ['POST', '/files/resolution/video'],
  ['POST', '/files/tus'],
  ['PATCH', '/files/tus//:uploadID'],
  ['DELETE', '/files/tus//:uploadID'],
] as const;

/** Mounts routes whose only response is the error that the bucket id is missing. */
export function missingBucketIdRoutes() {
  const app = new Elysia({ name: 'calls-without-bucket' });
  for (const [method, path] of CALLS) {
    app.route(
      method,
      path,
      () => {
        throw badRequest(MESSAGES.missingBucketId, 'missing-bucket-id');
      },
      { parse: 'none', detail: { hide: true } },
    );
  }
  return app;
}
