import { Elysia } from 'elysia';
import { callParamsOf, readView } from '../../../islands/files/file-filters.tsx';
import { MESSAGES } from '../../contract/messages.ts';
import { badRequest } from '../../errors.ts';
import { Island } from '../../web/islands/island.tsx';
import { BucketFrame } from '../../web/layout/bucket-frame.tsx';
import { type PrivateSite, privatePage } from '../../web/render/page.tsx';
import { ownerPrincipal } from '../access/principal.ts';
import type { Buckets } from '../buckets/service.ts';
import type { Files } from './service.ts';

type Services = PrivateSite & {
  buckets: Pick<Buckets, 'get' | 'ownedBy'>;
  files: Pick<Files, 'list'>;
  appUrl: string;
};

/** Mounts the page of a bucket's files, with the filters of its URL. */
export function filePages(services: Services) {
  const { buckets, files, appUrl } = services;

  return new Elysia({ name: 'file-pages', detail: { hide: true } })
    .get('/dashboard/files', ({ request }) =>
      privatePage(services, request, async () => {
        throw badRequest(MESSAGES.noBucketId);
      }),
    )
    .get('/dashboard/files/:bucketID', ({ request, params }) =>
      privatePage(services, request, async (viewer) => {
        const bucket = await buckets.get(viewer.userId, params.bucketID);
        const own = await buckets.ownedBy(viewer.userId, params.bucketID);
        const { pathname: path, search, searchParams } = new URL(request.url);
        const { allowed_types, max_file_bytes } = bucket;
        const query = callParamsOf(readView(searchParams), searchParams.get('folder'));
        const principal = ownerPrincipal(viewer.userId);
        const page = await files.list({ bucket: own, principal }, query);
        return {
          title: `Files of ${bucket.name}`,
          at: bucket,
          body: (
            <BucketFrame bucket={bucket} current="/dashboard/files">
              <Island
                name="files"
                props={{
                  ...{ bucketId: bucket.id, keptDays: bucket.keep_deleted_days, appUrl },
                  rules: { allowed_types, max_file_bytes },
                  ...{ path, search, first: { page, query } },
                }}
              />
            </BucketFrame>
          ),
        };
      }),
    );
}
