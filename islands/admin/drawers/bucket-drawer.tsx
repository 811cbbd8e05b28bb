import { formatBalance } from '../../../server/contract/money.ts';
import { REGIONS } from '../../../server/contract/regions.ts';
import { formatBytes, formatCount } from '../../../server/contract/units.ts';
import type { BucketStatus } from '../../../server/contract/wire.ts';
import { Time } from '../../ui/date/time.tsx';
import { Code, DetailDrawer, Fact, Facts } from '../../ui/dialog/drawer.tsx';
import { StatusMark } from '../../ui/status-mark.tsx';
import type { OpenItem } from '../../ui/use-opened.ts';
import { useBucketDetail } from '../admin-calls.ts';

/** The admin sees why a bucket is unavailable. Its owner sees only that it is. */
const STATUSES: Record<BucketStatus, string> = {
  running: 'Available',
  suspended: 'Suspended',
  banned: 'Banned',
  deleting: 'Being deleted',
};

/** The details of a bucket, in a drawer that is closed while `id` is null. */
export function BucketDrawer({ item, ids }: { item: OpenItem; ids: string[] }) {
  const { id } = item;
  const detail = useBucketDetail(id);
  return (
    <DetailDrawer
      open={id !== null}
      title={detail.data?.name ?? 'Bucket'}
      what="bucket"
      detail={detail}
      neighbours={item.neighboursIn(ids)}
      onClose={item.close}
    >
      {(bucket) => (
        <>
          <Facts>
            <Fact name="Status">
              <StatusMark good={bucket.status === 'running'} text={STATUSES[bucket.status]} />
            </Fact>
            {bucket.banned && (
              <Fact name="Banned">
                <Time iso={bucket.banned} withTime />
              </Fact>
            )}
            <Fact name="Owner">
              <a className="link" href={`/admin/users?user=${bucket.owner.id}`}>
                {bucket.owner.email ?? bucket.owner.id}
              </a>
            </Fact>
            <Fact name="Region">{bucket.region ? REGIONS[bucket.region] : 'Default region'}</Fact>
            <Fact name="Usage">
              <span className="numbers">{formatBytes(bucket.usage)}</span>
            </Fact>
            <Fact name="Bandwidth">
              <span className="numbers">{formatBytes(bucket.bandwidth)} this month</span>
            </Fact>
            <Fact name="Spend">
              <span className="numbers">{formatBalance(bucket.spend)} this month</span>
            </Fact>
            <Fact name="Files">
              <span className="numbers">{formatCount(bucket.total_uploads)}</span>
            </Fact>
            <Fact name="Created at">
              <Time iso={bucket.date} withTime />
            </Fact>
            <Fact name="ID">
              <Code text={bucket.id} label="Copy the ID" />
            </Fact>
          </Facts>
          <div className="flex flex-wrap gap-2">
            <a className="btn" href={`/admin/buckets?owner=${bucket.owner.id}`}>
              View the owner’s buckets
            </a>
            <a className="btn" href={`/admin/logs?subject=${bucket.id}`}>
              View log entries
            </a>
          </div>
        </>
      )}
    </DetailDrawer>
  );
}
