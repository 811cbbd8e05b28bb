import { Elysia } from 'elysia';
import { FolderPageResponse, FolderQuery } from '../../../contract/schemas/files.ts';
import { bucketDetail } from '../../../web/http/openapi-responses.ts';
import type { Accounts } from '../../accounts/service.ts';
import type { Buckets } from '../../buckets/service.ts';
import { bucketGuard } from '../../tokens/guard.ts';
import type { Tokens } from '../../tokens/service.ts';
import type { Folders } from './folders.ts';

const detail = bucketDetail('Files');

type PathServices = {
  accounts: Accounts;
  buckets: Buckets;
  tokens: Tokens;
  files: { folders: Folders };
};

/** Mounts the calls for the folders of a bucket, which need a session or the bucket's API key. */
export function pathRoutes(services: PathServices) {
  const { files } = services;
  return new Elysia()
    .use(bucketGuard(services))
    .get(
      '/files/folder/:bucketID',
      ({ caller, query }) => files.folders.list(caller, { ...query, prefix: query.prefix ?? '' }),
      {
        caller: 'read',
        query: FolderQuery,
        response: FolderPageResponse,
        ...detail('listFolder', 'List the files and folders in a folder of a bucket, by path'),
      },
    );
}
