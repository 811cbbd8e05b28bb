import type { Ids, Scene } from './scene.ts';

const visitor = (name: string, path: string, more?: Partial<Scene>): Scene => ({
  name,
  path,
  ...more,
});
const owner = (name: string, path: string, more?: Partial<Scene>): Scene => ({
  name,
  path,
  as: 'owner',
  ...more,
});

/** Every page as it is when it is opened. */
export const pages = ({ empty, full, suspended, video, file }: Ids): Scene[] => [
  visitor('landing', '/'),
  visitor('login', '/login'),
  visitor('signup', '/signup'),
  visitor('forgot-password', '/forgot-password'),
  visitor('docs', '/docs', { isLong: true }),
  visitor('docs-call', '/docs#post-buckets', { isLong: true }),
  visitor('guide', '/docs/quick-start'),
  visitor('guide-transforms', '/docs/transforms'),
  visitor('not-found', '/nowhere'),
  visitor('embed', `/embed/${full}/${file}`),
  owner('embed-private', `/embed/${full}/${video}`),
  owner('buckets', '/dashboard'),
  owner('buckets-none', '/dashboard?name=nothing'),
  { name: 'buckets-first', path: '/dashboard', as: 'newcomer' },
  owner('overview', `/dashboard/bucket/${full}?chartType=bandwidth&unit=MiB`),
  owner('overview-new', `/dashboard/bucket/${empty}`),
  { name: 'suspended', path: `/dashboard/bucket/${suspended}`, as: 'debtor' },
  owner('files', `/dashboard/files/${full}`, { isLong: true }),
  owner('files-none', `/dashboard/files/${empty}`),
  owner('files-narrowed', `/dashboard/files/${empty}?access=private&file_type=video`),
  owner('api-key', `/dashboard/api-key/${full}`),
  owner('settings', `/dashboard/settings/${full}`),
  owner('profile', '/profile'),
  owner('billing', '/billing'),
  { name: 'billing-empty', path: '/billing', as: 'debtor' },
  owner('bad-request', '/dashboard/settings'),
  owner('admin-overview', '/admin/overview?chartType=bandwidth&unit=MiB'),
  owner('admin-buckets', '/admin/buckets'),
  owner('admin-users', '/admin/users'),
  owner('admin-logs', '/admin/logs'),
];
