import { Elysia } from 'elysia';
import { MESSAGES } from '../../contract/messages.ts';
import { badRequest } from '../../errors.ts';

/** The paths that result where a bucket's id is empty; some proxies merge two slashes into one. */
const CALLS = [
  ['DELETE', '/buckets/'],
  ['GET', '/buckets/chart'],
  ['PUT', '/buckets/name/webhook'],
  ['GET', '/buckets/transforms'],
  ['PUT', '/buckets/transforms'],
  ['PUT', '/buckets/roll/api-key'],
  ['PUT', '/buckets/roll/webhook-secret'],
  ['POST', '/buckets/is/empty'],
  ['POST', '/buckets/jwt/:bucketID/:expires'],
  ['POST', '/buckets/jwt//:expires/:scope'],
  ['GET', '/buckets/webhook/secret'],
  ['GET', '/buckets/webhook/deliveries'],
  ['POST', '/buckets/webhook/test'],
  ['POST', '/buckets/webhook/replay/:bucketID'],
  ['POST', '/buckets/webhook/replay//:deliveryID'],
  ['GET', '/files'],
  ['GET', '/files//:fileID'],
  ['DELETE', '/files//:fileID'],
  ['GET', '/files/upload/video//:clientID'],
  ['DELETE', '/files/upload/video//:clientID'],
  ['POST', '/files/upload/image'],
  ['POST', '/files/upload/video'],
  ['POST', '/files/resolution/video'],
  ['POST', '/files/tus'],
  ['PATCH', '/files/tus//:uploadID'],
  ['DELETE', '/files/tus//:uploadID'],
] as const;

/** Routes that tell a program that its bucket id is empty. They answer nothing but that error. */
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
