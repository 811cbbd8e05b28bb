import ChartNoAxesColumn from 'lucide-react/icons/chart-no-axes-column';
import Files from 'lucide-react/icons/files';
import KeyRound from 'lucide-react/icons/key-round';
import Settings from 'lucide-react/icons/settings';
import TriangleAlert from 'lucide-react/icons/triangle-alert';
import type { ReactNode } from 'react';
import { SUSPENSION_GRACE_HOURS } from '../../contract/limits.ts';
import { SHORTCUTS } from '../../contract/shortcuts.ts';
import type { BucketStatus, BucketWire } from '../../contract/wire.ts';
import { SideFrame } from './side-frame.tsx';

const REASONS: Record<BucketStatus, string | null> = {
  running: null,
  suspended: `This bucket is suspended because your balance is below zero. It doesn’t accept uploads, and its files are delivered for ${SUSPENSION_GRACE_HOURS} hours at most. Top up to reactivate it within seconds.`,
  banned: 'This bucket is banned. The server’s admin has blocked its uploads and delivery.',
  deleting: 'This bucket is being deleted.',
};

type Bucket = Pick<BucketWire, 'id' | 'name' | 'status' | 'total_uploads'>;

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

/** A page of a bucket, with its side navigation and a notice where it is unavailable. */
export function BucketFrame({
  bucket,
  current,
  children,
}: {
  bucket: Bucket;
  /** The path of the current page, without the bucket's id. */
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
      <BucketNotice bucket={bucket} />
      {children}
    </SideFrame>
  );
}

/** A notice that says why a bucket is unavailable and what to do; nothing where it is available. */
export function BucketNotice({
  bucket: { status, total_uploads: files },
}: {
  bucket: Pick<Bucket, 'status' | 'total_uploads'>;
}) {
  const reason = REASONS[status];
  if (!reason) return null;
  return (
    <div className="card mb-6 flex flex-wrap items-center gap-x-4 gap-y-3 border-warning p-4">
      <TriangleAlert
        size={16}
        aria-hidden
        className="shrink-0 self-start text-warning max-sm:hidden sm:mt-0.5"
      />
      <p className="min-w-0 basis-72 grow text-pretty">
        {reason}
        {status === 'deleting' && ` Files left: ${files.toLocaleString('en-US')}.`}
      </p>
      {status === 'suspended' && (
        <a href="/billing" className="btn">
          Top up
        </a>
      )}
    </div>
  );
}
