import { Elysia } from 'elysia';
import { notFound } from '../../../errors.ts';
import { Island } from '../../../web/islands/island.tsx';
import { privatePage, renderPage, type Viewers } from '../../../web/render/page.tsx';
import type { S3Keys } from './service.ts';

type Services = {
  accounts: Viewers;
  s3Keys: Pick<S3Keys, 'list'>;
  docsUrl: string | null;
  /** The address of the S3 API; null where it is off. */
  s3Endpoint: string | null;
};

/** Mounts the page of the account's S3 keys. Its HTML contains no secret. */
export const s3KeyPages = (services: Services) =>
  new Elysia({ name: 's3-key-pages', detail: { hide: true } }).get('/dashboard/s3', ({ request }) =>
    privatePage(services, request, async (viewer) => {
      const { s3Endpoint, docsUrl } = services;
      if (s3Endpoint === null) throw notFound('Page');
      const { data: keys } = await services.s3Keys.list(viewer.userId);
      return renderPage({
        title: 'S3',
        viewer,
        at: 's3',
        docsUrl,
        body: (
          <main id="main" className="mx-auto max-w-page px-4 pt-6 pb-16 text-sm sm:px-6">
            <Island name="s3" props={{ endpoint: s3Endpoint, keys }} />
          </main>
        ),
      });
    }),
  );
