import { Elysia } from 'elysia';
import {
  S3ImportBody,
  S3ImportResponse,
  S3ImportsResponse,
} from '../../contract/schemas/imports.ts';
import { bucketDetail } from '../../web/http/openapi-responses.ts';
import { actorOf } from '../access/principal.ts';
import { bucketGuard, type GuardServices, requireUpload } from '../tokens/guard.ts';
import { parseImport, type S3Imports, type Sources } from './service.ts';
import { sourceRoutes } from './sources/routes.ts';

const detail = bucketDetail('Files');

type ImportServices = GuardServices & { imports: S3Imports; sources: Sources };

/**
 * Returns the calls for the sources of buckets, and those that copy a bucket of another S3 server, which need a session
 * or the bucket's API key.
 */
export const s3ImportRoutes = (services: ImportServices) => [
  sourceRoutes(services),
  importRoutes(services),
];

function importRoutes(services: ImportServices) {
  const { imports } = services;
  return new Elysia()
    .use(bucketGuard(services))
    .post(
      '/files/s3-imports/:bucketID',
      async ({ caller, body, status }) => {
        const { bucket, principal } = caller;
        requireUpload(principal, bucket);
        return status(202, await imports.start(bucket, parseImport(body), actorOf(principal)));
      },
      {
        caller: 'write',
        body: S3ImportBody,
        response: { 202: S3ImportResponse },
        ...detail('startBucketImport', 'Copy the objects of a bucket of another S3 server', {
          409: 'Another import of the account is running.',
        }),
      },
    )
    .get('/files/s3-imports/:bucketID', ({ caller }) => imports.list(caller.bucket.id), {
      caller: 'read',
      response: S3ImportsResponse,
      ...detail(
        'listBucketImports',
        'List the last 20 imports from S3 servers, the running one and those of the last week',
      ),
    })
    .get(
      '/files/s3-imports/:bucketID/:importID',
      ({ caller, params }) => imports.get(caller.bucket.id, params.importID),
      {
        caller: 'read',
        response: S3ImportResponse,
        ...detail('getBucketImport', 'Get how far an import from an S3 server is'),
      },
    )
    .delete(
      '/files/s3-imports/:bucketID/:importID',
      ({ caller, params }) => imports.end(caller.bucket.id, params.importID),
      {
        caller: 'write',
        response: S3ImportResponse,
        ...detail('stopBucketImport', 'Stop an import from an S3 server; what was copied stays'),
      },
    );
}
