import ChartNoAxesColumn from 'lucide-react/icons/chart-no-axes-column';
import Files from 'lucide-react/icons/files';
import KeyRound from 'lucide-react/icons/key-round';
import Settings from 'lucide-react/icons/settings';
import type { ReactNode } from 'react';
import { SHORTCUTS } from '../../contract/shortcuts.ts';
import type { BucketStatus } from '../../contract/wire.ts';
import { BucketNotice } from './bucket-notice.tsx';
import { SideFrame } from './side-frame.tsx';

type Bucket = { id: string; name: string; status: BucketStatus };

const ENTRIES = [
  {
    label: 'Overview',
    path: '/dashboard/bucket',
    Icon: ChartNoAxesColumn,
    shortcut: SHORTCUTS.overview.keys,
  },
  { label: 'Files', path: '/dashboard/files', Icon: Files, shortcut: SHORTCUTS.files.keys },
  {
    label: 'API Key',
    path: '/dashboard/api-key',
    Icon: KeyRound,
    shortcut: SHORTCUTS.apiKey.keys,
  },
  {
    label: 'Settings',
    path: '/dashboard/settings',
    Icon: Settings,
    shortcut: SHORTCUTS.settings.keys,
  },
];

/** A bucket's page. */
export function BucketFrame({
  bucket,
  current,
  children,
}: {
  bucket: Bucket;
  /** The path of the page shown, without the bucket's id. */
  current: string;
  children: ReactNode;
}) {
  const entries = ENTRIES.map(({ path, ...entry }) => ({
    ...entry,
    href: `${path}/${bucket.id}`,
    isCurrent: path === current,
  }));
  const title = (
    <p className="truncate px-2.5 font-semibold max-lg:hidden" data-bucket-name>
      {bucket.name}
    </p>
  );
  return (
    <SideFrame label="Bucket" title={title} entries={entries}>
      <BucketNotice status={bucket.status} />
      {children}
    </SideFrame>
  );
}
