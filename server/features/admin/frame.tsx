import Archive from 'lucide-react/icons/archive';
import ChartNoAxesColumn from 'lucide-react/icons/chart-no-axes-column';
import ScrollText from 'lucide-react/icons/scroll-text';
import Users from 'lucide-react/icons/users';
import type { ReactNode } from 'react';
import { SideFrame } from '../../web/layout/side-frame.tsx';

const ENTRIES = [
  { label: 'Overview', href: '/admin/overview', Icon: ChartNoAxesColumn },
  { label: 'Buckets', href: '/admin/buckets', Icon: Archive },
  { label: 'Users', href: '/admin/users', Icon: Users },
  { label: 'Logs', href: '/admin/logs', Icon: ScrollText },
];

/** A page of the admin's. */
export function AdminFrame({ current, children }: { current: string; children: ReactNode }) {
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
