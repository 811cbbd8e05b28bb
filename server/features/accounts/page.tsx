import { Elysia } from 'elysia';
import type { ReactNode } from 'react';
import { RETURN_COOKIE, toReturnPath } from '../../contract/return-path.ts';
import { Island } from '../../web/islands/island.tsx';
import { AccountFrame } from '../../web/layout/account-frame.tsx';
import {
  clearedReturnCookie,
  type PrivateSite,
  privatePage,
  renderPage,
} from '../../web/render/page.tsx';
import { hasTrustCookie, readCookie } from './client.ts';
import type { Accounts } from './service.ts';

const NOTHING = { sessions: [], browsers: null, logins: [] };

type Site = PrivateSite & {
  accounts: Pick<Accounts, 'viewerOf' | 'securityOfViewer' | 'trustedBrowsers'>;
  appUrl: string;
};

/**
 * Mounts the pages for visitors, and those of the account. The pages for visitors never redirect, because a
 * browser that still has the cookie but has lost its token must be able to log in again.
 */
export function accountPages(site: Site) {
  const publicPage = async (request: Request, title: string, island: ReactNode) =>
    renderPage({
      title,
      // The query is left out, as it may hold the token of a mail.
      canonical: site.appUrl + new URL(request.url).pathname,
      viewer: await site.accounts.viewerOf(request),
      docsUrl: site.docsUrl,
      body: <main id="main">{island}</main>,
    });

  return new Elysia({ name: 'account-pages', detail: { hide: true } })
    .get('/signup', ({ request }) =>
      publicPage(request, 'Sign up', <Island name="signup" props={{}} />),
    )
    .get('/login', async ({ request }) => {
      const cookie = readCookie(request, RETURN_COOKIE);
      const returnPath = toReturnPath(cookie);
      const page = await publicPage(
        request,
        'Log in',
        <Island
          name="login"
          props={{
            returnPath,
            trustDays: site.accounts.trustedBrowsers.days,
            mayBeTrusted: hasTrustCookie(site.appUrl, request),
          }}
        />,
      );
      if (cookie !== null) page.headers.append('set-cookie', clearedReturnCookie());
      return page;
    })
    .get('/forgot-password', ({ request }) =>
      publicPage(request, 'Forgot password', <Island name="forgot-password" props={{}} />),
    )
    .get('/undo-email-change', ({ request }) =>
      publicPage(request, 'Undo the email change', <Island name="undo-email-change" props={{}} />),
    )
    .get('/profile', ({ request }) =>
      privatePage(site, request, async (viewer) => ({
        title: 'Profile',
        body: (
          <AccountFrame current="/profile">
            <Island name="profile" props={{ email: viewer.email, security: null }} />
          </AccountFrame>
        ),
      })),
    )
    .get('/profile/security', ({ request }) =>
      privatePage(site, request, async (viewer) => {
        const security = (await site.accounts.securityOfViewer(request)) ?? NOTHING;
        return {
          title: 'Security',
          body: (
            <AccountFrame current="/profile/security">
              <Island name="profile" props={{ email: viewer.email, security }} />
            </AccountFrame>
          ),
        };
      }),
    );
}
