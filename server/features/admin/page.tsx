import { Elysia } from 'elysia';
import Activity from 'lucide-react/icons/activity';
import Archive from 'lucide-react/icons/archive';
import ChartNoAxesColumn from 'lucide-react/icons/chart-no-axes-column';
import ScrollText from 'lucide-react/icons/scroll-text';
import Users from 'lucide-react/icons/users';
import type { ReactNode } from 'react';
import {
  bucketParams,
  logParams,
  overviewParams,
  readBucketView,
  readLogView,
  readOverviewView,
  readUserView,
  userParams,
} from '../../../islands/admin/views.ts';
import type { Viewer } from '../../contract/wire.ts';
import { AppError } from '../../errors.ts';
import type { Clock } from '../../platform/clock.ts';
import { Island } from '../../web/islands/island.tsx';
import { SideFrame } from '../../web/layout/side-frame.tsx';
import {
  notFoundPage,
  type PrivateContent,
  type PrivateSite,
  privatePage,
} from '../../web/render/page.tsx';
import { can } from '../access/can.ts';
import { sessionPrincipal } from '../access/principal.ts';
import { dayOf, dayText } from '../usage/service.ts';
import type { Admin } from './service.ts';

const ENTRIES = [
  { label: 'Overview', href: '/admin/overview', Icon: ChartNoAxesColumn },
  { label: 'Buckets', href: '/admin/buckets', Icon: Archive },
  { label: 'Users', href: '/admin/users', Icon: Users },
  { label: 'Logs', href: '/admin/logs', Icon: ScrollText },
  { label: 'Operations', href: '/admin/operations', Icon: Activity },
];

/** A check of a storage that does not answer takes seconds. The page then loads the result later. */
const MAX_CHECK_WAIT_MS = 300;

type Site = PrivateSite & { admin: Admin; clock: Clock };
export type AdminPages = ReturnType<typeof createAdminPages>;

/** Resolves with null where the query of the page's URL is not valid, which the page then says. */
const orNull = <Got,>(asking: Promise<Got>): Promise<Got | null> =>
  asking.catch((error) => {
    if (error instanceof AppError && error.status === 422) return null;
    throw error;
  });

/** Creates the five pages. Visitors are redirected to /login, and other users to /dashboard. */
export function createAdminPages(site: Site) {
  const { admin, clock } = site;

  const page =
    (
      title: string,
      render: (location: { path: string; search: string }, viewer: Viewer) => Promise<ReactNode>,
    ) =>
    async (request: Request): Promise<Response> => {
      const { pathname: path, search } = new URL(request.url);
      return adminPage(site, request, async (viewer) => ({
        title,
        at: 'admin',
        body: <AdminFrame current={path}>{await render({ path, search }, viewer)}</AdminFrame>,
      }));
    };

  return {
    overview: page('Admin overview', async ({ path, search }) => {
      const today = dayText(dayOf(clock()));
      const view = readOverviewView(new URLSearchParams(search));
      const [first, operations, owed] = await Promise.all([
        orNull(admin.overview(overviewParams(view, today))),
        Promise.race([admin.operations(), Bun.sleep(MAX_CHECK_WAIT_MS).then(() => null)]),
        admin.owedPayments({}),
      ]);
      const props = { path, search, today, first, operations, owed };
      return <Island name="admin-overview" props={props} />;
    }),

    operations: page('Operations', async () => {
      const [first, jobs] = await Promise.all([admin.operations(), admin.jobs()]);
      return <Island name="admin-operations" props={{ first, jobs }} />;
    }),

    buckets: page('Buckets', async ({ path, search }) => {
      const view = readBucketView(new URLSearchParams(search));
      const first = await admin.listBuckets(bucketParams(view));
      return <Island name="admin-buckets" props={{ path, search, first }} />;
    }),

    users: page('Users', async ({ path, search }, viewer) => {
      const view = readUserView(new URLSearchParams(search));
      const first = await admin.listUsers(userParams(view));
      return <Island name="admin-users" props={{ path, search, first, ownId: viewer.userId }} />;
    }),

    logs: page('Logs', async ({ path, search }) => {
      const view = readLogView(new URLSearchParams(search));
      const first = await admin.listLogs(logParams(view));
      return <Island name="admin-logs" props={{ path, search, first }} />;
    }),
  };
}

/** Mounts `/admin`, and the page for unknown paths below it. */
export function adminPages(site: PrivateSite) {
  return new Elysia({ name: 'admin-pages', detail: { hide: true } })
    .get('/admin', ({ request }) =>
      adminPage(site, request, async () => redirectTo('/admin/overview')),
    )
    .get('/admin/*', ({ request }) =>
      adminPage(site, request, (viewer) => notFoundPage({ viewer, docsUrl: site.docsUrl })),
    );
}

const adminPage = (
  site: PrivateSite,
  request: Request,
  render: (viewer: Viewer) => Promise<PrivateContent | Response>,
) =>
  privatePage(site, request, async (viewer) =>
    can(sessionPrincipal(viewer), 'administer', null) ? redirectTo('/dashboard') : render(viewer),
  );

const redirectTo = (location: string) => new Response(null, { status: 302, headers: { location } });

/** A page of the admin area with its side navigation. */
function AdminFrame({ current, children }: { current: string; children: ReactNode }) {
  const entries = ENTRIES.map((entry) => ({ ...entry, isCurrent: entry.href === current }));
  return (
    <SideFrame
      label="Admin"
      title={<p className="px-2.5 font-semibold max-lg:hidden">Admin</p>}
      entries={entries}
    >
      {children}
    </SideFrame>
  );
}
