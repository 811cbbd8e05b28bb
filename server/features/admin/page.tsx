import { Elysia } from 'elysia';
import { notFoundPage } from '../../web/error-pages.tsx';
import { privatePage, type Viewers } from '../../web/private-page.ts';

/** `/admin` and all below it: visitors go to /login, who is no admin to /dashboard. */
export function adminPages(site: { accounts: Viewers; docsUrl: string | null }) {
  const answer = ({ request }: { request: Request }) =>
    privatePage(site, request, async (viewer) =>
      viewer.isAdmin ? notFoundPage({ viewer, docsUrl: site.docsUrl }) : toDashboard(),
    );
  return new Elysia({ name: 'admin-pages', detail: { hide: true } })
    .get('/admin', answer)
    .get('/admin/*', answer);
}

const toDashboard = () =>
  new Response(null, {
    status: 302,
    headers: { location: '/dashboard', 'cache-control': 'private, no-store' },
  });
