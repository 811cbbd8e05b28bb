import { Elysia } from 'elysia';
import {
  FolderBody,
  FolderPageResponse,
  FolderPathQuery,
  FolderQuery,
  FolderResponse,
} from '../../../contract/schemas/files.ts';
import { invalid } from '../../../errors.ts';
import { bucketDetail } from '../../../web/http/openapi-responses.ts';
import { actorOf } from '../../access/principal.ts';
import { bucketGuard, type GuardServices } from '../../tokens/guard.ts';
import type { Folders } from '../paths/folders.ts';
import { requireFolder } from '../paths/paths.ts';
import type { EmptyFolders } from './empty-folders.ts';

const detail = bucketDetail('Files');

type FolderServices = GuardServices & { files: { folders: Folders; emptyFolders: EmptyFolders } };

/** Returns the path of a folder with a slash at its end. Throws invalid; the top is no folder of its own. */
export function requireFolderPath(text: string, field = 'path'): string {
  const folder = requireFolder(text);
  if (folder === '') throw invalid(`${field} must be a folder like photos/2026.`);
  return `${folder}/`;
}

/** Mounts the calls that list, create and delete folders, which need a session or the bucket's API key. */
export function folderRoutes(services: FolderServices) {
  const { folders, emptyFolders } = services.files;
  return new Elysia()
    .use(bucketGuard(services))
    .get(
      '/files/folder/:bucketID',
      ({ caller, query }) => folders.list(caller, { ...query, prefix: query.prefix ?? '' }),
      {
        caller: 'read',
        query: FolderQuery,
        response: FolderPageResponse,
        ...detail('listFolder', 'List the files and folders in a folder of a bucket, by path'),
      },
    )
    .post(
      '/files/folder/:bucketID',
      async ({ caller, body }) => {
        const path = requireFolderPath(body.path);
        await emptyFolders.create(caller.bucket, path, actorOf(caller.principal));
        return { path };
      },
      {
        caller: 'write',
        body: FolderBody,
        response: FolderResponse,
        ...detail('createFolder', 'Create a folder that stays while it is empty', {
          409: 'The bucket is being deleted.',
        }),
      },
    )
    .delete(
      '/files/folder/:bucketID',
      async ({ caller, query, set }) => {
        const path = requireFolderPath(query.path);
        await emptyFolders.delete(caller.bucket, path, actorOf(caller.principal));
        set.status = 204;
      },
      {
        caller: 'write',
        query: FolderPathQuery,
        ...detail('deleteFolder', 'Delete an empty folder', {
          204: 'Deleted.',
          409: 'The folder is not empty.',
        }),
      },
    );
}
