import { Elysia } from 'elysia';
import { Island } from '../../web/island.tsx';
import { renderPage } from '../../web/page.tsx';
import type { Viewers } from '../../web/private-page.ts';

/**
 * `/signup` and `/login`. They never redirect: the cookie alone makes nobody signed in, and a
 * browser that has the cookie but lost its token must be able to log in again.
 */
export function accountPages({ accounts, docsUrl }: { accounts: Viewers; docsUrl: string | null }) {
  return new Elysia({ name: 'account-pages', detail: { hide: true } })
    .get('/signup', async ({ request }) =>
      renderPage({
        title: 'Sign up',
        viewer: await accounts.viewerOf(request),
        docsUrl,
        body: (
          <main id="main">
            <Island name="signup" props={{}} />
          </main>
        ),
      }),
    )
    .get('/login', async ({ request }) =>
      renderPage({
        title: 'Log in',
        viewer: await accounts.viewerOf(request),
        docsUrl,
        body: (
          <main id="main">
            <Island name="login" props={{}} />
          </main>
        ),
      }),
    );
}
