import { useQuery } from '@tanstack/react-query';
import type { BucketWire, DeliveryWire, Page } from '../../../server/contract/wire.ts';
import { Deletion, deletionImpactText } from '../../accounts/shared.ts';
import { PageHead } from '../../ui/page-head.tsx';
import { GeneralPanel } from './general-panel.tsx';
import { bucketKey, deleteBucket, getBucket, getContents } from './settings-calls.ts';
import { TransformsPanel } from './transforms-panel.tsx';
import { WebhookPanel } from './webhook-panel.tsx';

/** A bucket's settings, and its deletion. `first` and `deliveries` are what the page was made with. */
export default function SettingsIsland({
  first,
  deliveries,
  email,
}: {
  first: BucketWire;
  deliveries: Page<DeliveryWire>;
  email: string;
}) {
  const { data: bucket } = useQuery<BucketWire>({
    queryKey: bucketKey(first.id),
    queryFn: () => getBucket(first.id),
    initialData: first,
  });

  return (
    <>
      <PageHead
        title="Settings"
        text="Manage the bucket’s name, webhook and image settings, or delete it."
      />
      <div className="mt-6 flex flex-col gap-4">
        <GeneralPanel bucket={bucket} />
        <WebhookPanel bucket={bucket} first={deliveries} />
        <TransformsPanel bucket={bucket} />
        <Deletion
          name="Delete Bucket"
          text="This permanently deletes the bucket and all of its files. This can’t be undone."
          purpose="delete-bucket"
          email={email}
          getLoss={() => getContents(bucket.id)}
          describe={(loss) =>
            `All data of ${bucket.name} will be wiped${loss ? `: ${deletionImpactText(loss)}` : ''}. Delivery stops immediately.`
          }
          remove={(code) => deleteBucket(bucket.id, code)}
          leave={() => location.assign('/dashboard')}
        />
      </div>
    </>
  );
}
