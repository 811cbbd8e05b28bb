import type { Viewer } from '../../contract/wire.ts';
import { pageOfError } from './error-pages.tsx';

/** What tells, from the session cookie alone, who looks at a page. */
export type Viewers = { viewerOf(request: Request): Promise<Viewer | null> };

/**
 * Renders a page for a signed-in viewer. A visitor is sent to /login; a known failure, such as a
 * bucket that is not there, becomes its page.
 */
export async function privatePage(
  site: { accounts: Viewers; docsUrl: string | null },
  request: Request,
  render: (viewer: Viewer) => Promise<Response>,
): Promise<Response> {
  const viewer = await site.accounts.viewerOf(request);
  if (!viewer) return toLogin();
  try {
    return await render(viewer);
  } catch (error) {
    return pageOfError(error, { viewer, docsUrl: site.docsUrl });
  }
}

const toLogin = () =>
  new Response(null, {
    status: 302,
    headers: { location: '/login', 'cache-control': 'private, no-store' },
  });
