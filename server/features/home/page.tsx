import { Elysia } from 'elysia';
import { readListView, toBucketFilters } from '../../../islands/buckets/list/bucket-query.ts';
import { Island } from '../../web/islands/island.tsx';
import { type PrivateSite, privatePage } from '../../web/render/page.tsx';
import type { Buckets } from '../buckets/service.ts';
import { type SummaryServices, summaryOf } from './summary.ts';

/** The cards that a large screen shows first. The previews of others are loaded when they are scrolled to. */
const PREVIEWED_BUCKETS = 12;

type Services = SummaryServices &
  PrivateSite & {
    buckets: Pick<Buckets, 'list'>;
    onErrorOf: (message: string) => (error: unknown) => void;
  };

/** Mounts `/dashboard`: how the account is doing, and its buckets. */
export function homePages(services: Services) {
  const { buckets, onErrorOf } = services;
  const onError = onErrorOf('loading a summary failed');

  return new Elysia({ name: 'home-pages', detail: { hide: true } }).get(
    '/dashboard',
    ({ request }) =>
      privatePage(services, request, async (viewer) => {
        const { pathname: path, search } = new URL(request.url);
        const view = readListView(new URLSearchParams(search));
        const first = await buckets.list(viewer.userId, toBucketFilters(view));
        const previewedIds = first.data.slice(0, PREVIEWED_BUCKETS).map(({ id }) => id);
        // The buckets are what most people come for, so they are shown without it.
        const { summary, previews } = await summaryOf(services, viewer.userId, previewedIds).catch(
          (error) => {
            onError(error);
            return { summary: null, previews: {} };
          },
        );
        return {
          title: 'Your Buckets',
          at: 'buckets',
          body: (
            <main id="main" className="mx-auto max-w-page px-4 pt-6 pb-16 text-sm sm:px-6">
              <Island name="home" props={{ path, search, first, previews, summary }} />
            </main>
          ),
        };
      }),
  );
}
