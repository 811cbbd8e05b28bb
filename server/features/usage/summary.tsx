import type { ReactNode } from 'react';
import { BucketStatusMark } from '../../../islands/buckets/list/bucket-card.tsx';
import { CopyButton } from '../../../islands/ui/copy-button.tsx';
import { Time } from '../../../islands/ui/date/time.tsx';
import { REGIONS } from '../../contract/regions.ts';
import { formatBytes } from '../../contract/units.ts';
import type { BucketWire } from '../../contract/wire.ts';

/** What a bucket is and holds, in figures. */
export function BucketSummary({ bucket }: { bucket: BucketWire }) {
  return (
    <>
      <dl className="mt-3 grid grid-cols-2 gap-3 sm:grid-cols-3">
        <Figure label="Stored" value={formatBytes(bucket.usage)} />
        <Figure label="Files" value={bucket.total_uploads.toLocaleString('en-US')} />
        <Figure label="Bandwidth this month" value={formatBytes(bucket.bandwidth)} />
      </dl>
      <dl className="card mt-3 divide-y divide-base-300 px-4">
        <Fact label="Status">
          <BucketStatusMark status={bucket.status} />
        </Fact>
        <Fact label="Region">{bucket.region ? REGIONS[bucket.region] : 'Default region'}</Fact>
        <Fact label="Created at">
          <Time iso={bucket.date} />
        </Fact>
        <Fact label="Bucket ID">
          <code className="truncate font-mono text-xs">{bucket.id}</code>
          <CopyButton text={bucket.id} label="Copy bucket ID" />
        </Fact>
      </dl>
    </>
  );
}

function Figure({ label, value }: { label: string; value: string }) {
  return (
    <div className="card p-4 max-sm:last:col-span-2">
      <dt className="text-quiet">{label}</dt>
      <dd className="numbers mt-1 text-xl font-semibold">{value}</dd>
    </div>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex min-h-12 items-center justify-between gap-4">
      <dt className="shrink-0 text-quiet">{label}</dt>
      <dd className="flex min-w-0 items-center gap-1">{children}</dd>
    </div>
  );
}
