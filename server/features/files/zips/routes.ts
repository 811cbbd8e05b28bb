import { Elysia } from 'elysia';
import { ZipBody, ZipResponse } from '../../../contract/schemas/zips.ts';
import { invalid } from '../../../errors.ts';
import { bucketDetail } from '../../../web/http/openapi-responses.ts';
import { bucketGuard, type GuardServices } from '../../tokens/guard.ts';
import { requireFolder } from '../paths/paths.ts';
import type { ZipSelection, Zips } from './zips.ts';

const detail = bucketDetail('Files');

type ZipServices = GuardServices & { files: { zips: Zips } };

function parseSelection({ folder, ids }: typeof ZipBody.static): ZipSelection {
  if (ids !== undefined && folder === undefined) return { ids };
  if (folder === undefined || ids !== undefined) throw invalid('Send either folder or ids.');
  const path = requireFolder(folder);
  return { folder: path === '' ? '' : `${path}/` };
}

/** Mounts the call that creates links to ZIPs, which needs a session or the bucket's API key. */
export function zipRoutes(services: ZipServices) {
  return new Elysia()
    .use(bucketGuard(services))
    .post(
      '/files/zip/:bucketID',
      ({ caller, body }) => services.files.zips.create(caller, parseSelection(body)),
      {
        caller: 'read',
        body: ZipBody,
        response: ZipResponse,
        ...detail('createZip', 'Get a link to a ZIP of a folder or of some files', {
          429: 'The account has too many links to ZIPs.',
        }),
      },
    );
}
