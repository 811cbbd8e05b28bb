import type { FilePreview } from '../../../server/contract/home/summary.ts';
import { REGIONS } from '../../../server/contract/regions.ts';
import { formatBytes } from '../../../server/contract/units.ts';
import type { BucketStatus, BucketWire } from '../../../server/contract/wire.ts';
import { Time } from '../../ui/date/time.tsx';
import { StatusMark } from '../../ui/status-mark.tsx';
import { BucketPreview, PREVIEW_SHAPE } from './bucket-preview.tsx';

/** A card about a bucket with its newest files, which links to the bucket's page. */
export function BucketCard({ bucket, preview }: { bucket: BucketWire; preview?: FilePreview[] }) {
  return (
    <li className="card relative flex min-w-0 flex-col overflow-hidden p-4 hover:border-quiet">
      <BucketPreview bucket={bucket} first={preview} />
      <div className="flex items-center justify-between gap-3">
        <h2 className="min-w-0 text-base font-semibold">
          <a
            href={`/dashboard/bucket/${bucket.id}`}
            className="block truncate after:absolute after:inset-0 after:rounded-lg focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:outline-offset-2 focus-visible:after:outline-primary"
            title={bucket.name}
          >
            {bucket.name}
          </a>
        </h2>
        <span className="shrink-0 text-xs">
          <BucketStatusMark status={bucket.status} />
        </span>
      </div>
      <p className="mt-1 flex justify-between gap-3 text-xs text-quiet">
        <span className="truncate">
          {bucket.region ? REGIONS[bucket.region] : 'Default region'}
        </span>
        <Time iso={bucket.date} />
      </p>
      <dl className="numbers mt-4 grid grid-cols-[1fr_1fr_auto] gap-3 border-t border-base-300 pt-3">
        <Figure label="Usage" value={formatBytes(bucket.usage)} />
        <Figure
          label="Bandwidth"
          value={formatBytes(bucket.bandwidth)}
          title="Sent this month (UTC)"
        />
        <Figure
          label={bucket.status === 'deleting' ? 'Files left' : 'Files'}
          value={bucket.total_uploads.toLocaleString('en-US')}
          isLast
        />
      </dl>
    </li>
  );
}

function Figure({
  label,
  value,
  title,
  isLast = false,
}: {
  label: string;
  value: string;
  title?: string;
  isLast?: boolean;
}) {
  return (
    <div className={`min-w-0 ${isLast ? 'text-right' : ''}`} title={title}>
      <dt className="text-xs text-quiet">{label}</dt>
      <dd className="mt-0.5 truncate font-medium">{value}</dd>
    </div>
  );
}

const SHAPES = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth'];

/** The placeholders of cards that are being loaded. */
export function BucketCardShapes() {
  return SHAPES.map((shape) => (
    <li key={shape} aria-hidden="true" className="card flex flex-col gap-2.5 overflow-hidden p-4">
      <span className={`skeleton rounded-none ${PREVIEW_SHAPE}`} />
      <span className="skeleton h-5 w-2/5" />
      <span className="skeleton h-3 w-1/3" />
      <span className="mt-3 flex justify-between border-t border-base-300 pt-4">
        <span className="skeleton h-7 w-1/4" />
        <span className="skeleton h-7 w-1/4" />
        <span className="skeleton h-7 w-8" />
      </span>
    </li>
  ));
}

/** Shows 'Available' for a running bucket and 'Unavailable' for any other status. */
export function BucketStatusMark({ status }: { status: BucketStatus }) {
  const isAvailable = status === 'running';
  return <StatusMark good={isAvailable} text={isAvailable ? 'Available' : 'Unavailable'} />;
}
