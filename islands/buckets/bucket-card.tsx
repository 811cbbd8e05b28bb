import { REGIONS } from '../../server/contract/regions.ts';
import { formatBytes } from '../../server/contract/units.ts';
import type { BucketWire } from '../../server/contract/wire.ts';
import { Time } from '../ui/time.tsx';
import { BucketStatusMark } from './bucket-status.tsx';

export function BucketCard({ bucket }: { bucket: BucketWire }) {
  return (
    <a
      href={`/dashboard/bucket/${bucket.id}`}
      className="card block min-w-0 p-4 transition-opacity hover:border-quiet"
    >
      <span className="flex items-center justify-between gap-3">
        <span className="truncate text-base font-semibold" title={bucket.name}>
          {bucket.name}
        </span>
        <BucketStatusMark status={bucket.status} />
      </span>
      <span className="mt-1 block text-xs text-quiet">
        {bucket.region ? REGIONS[bucket.region] : 'Default region'}
      </span>
      <span className="numbers mt-5 flex items-baseline justify-between gap-3">
        <span className="text-base font-medium">{formatBytes(bucket.usage)}</span>
        <span className="text-quiet">
          {bucket.total_uploads} {bucket.total_uploads === 1 ? 'file' : 'files'}
        </span>
        <span className="text-quiet">
          <Time iso={bucket.date} />
        </span>
      </span>
    </a>
  );
}
