import { Elysia } from 'elysia';
import { notFound } from '../../../errors.ts';
import { Island } from '../../../web/islands/island.tsx';
import { type PrivateSite, privatePage } from '../../../web/render/page.tsx';
import type { S3Keys } from './service.ts';

type Services = PrivateSite & {
  s3Keys: Pick<S3Keys, 'list'>;
  /** The address of the S3 API; null where it is off. */
  s3Endpoint: string | null;
};

/** Mounts the page of the account's S3 keys. Its HTML contains no secret. */
export const s3KeyPages = (services: Services) =>
  new Elysia({ name: 's3-key-pages', detail: { hide: true } }).get('/dashboard/s3', ({ request }) =>
    privatePage(services, request, async (viewer) => {
      const { s3Endpoint } = services;
      if (s3Endpoint === null) throw notFound('Page');
      const { data: keys } = await services.s3Keys.list(viewer.userId);
      return {
        title: 'S3',
        at: 's3',
        body: (
          <main id="main" className="mx-auto max-w-page px-4 pt-6 pb-16 text-sm sm:px-6">
            <Island name="s3" props={{ endpoint: s3Endpoint, keys }} />
          </main>
        ),
      };
    }),
  );
