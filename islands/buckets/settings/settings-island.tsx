import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import {
  type SettingsSection,
  settingsPath,
} from '../../../server/contract/buckets/settings-sections.ts';
import { BUCKET_NAME_MAX, WEBHOOK_MAX } from '../../../server/contract/limits.ts';
import { documentTitle, settingsTitle } from '../../../server/contract/messages.ts';
import { REGIONS } from '../../../server/contract/regions.ts';
import type { BucketWire, Page, WebhookAttemptWire } from '../../../server/contract/wire.ts';
import { Deletion, deletionImpactText } from '../../accounts/shared.ts';
import { setFlashMessage } from '../../runtime/flash-message.ts';
import { notify } from '../../runtime/notify.ts';
import { openPage } from '../../runtime/page-events.ts';
import { Button } from '../../ui/form/button.tsx';
import { TextField } from '../../ui/form/field.tsx';
import { useFormError } from '../../ui/form/form-error.ts';
import { PageHead } from '../../ui/page-head.tsx';
import { Panel } from '../../ui/panel.tsx';
import { storageNote, useSeparateRegions } from '../regions.ts';
import { AccessPanel } from './access-panel.tsx';
import { BandwidthPanel } from './bandwidth-panel.tsx';
import { ExpiryPanel } from './expiry-panel.tsx';
import { OriginalsPanel } from './originals-panel.tsx';
import { RetentionPanel } from './retention-panel.tsx';
import { S3Panel } from './s3-panel.tsx';
import {
  type BucketChanges,
  bucketKey,
  deleteBucket,
  getBucket,
  getContents,
  saveBucket,
} from './settings-calls.ts';
import { SettingsTabs } from './settings-tabs.tsx';
import { SitePanel } from './site-panel.tsx';
import { TransformsPanel } from './transforms-panel.tsx';
import { UploadsPanel } from './uploads-panel.tsx';
import { WebhookAttempts } from './webhook/webhook-attempts.tsx';
import { WebhookPanel } from './webhook/webhook-panel.tsx';

type Props = {
  section: SettingsSection;
  first: BucketWire;
  /** Where the bucket is as a static site; null where it can't be one. */
  siteUrl: string | null;
  /** Whether this server has the S3 API. */
  hasS3: boolean;
  /** The newest deliveries of the webhook, which one page shows. */
  deliveries: Page<WebhookAttemptWire>;
  email: string;
};

/** One page of a bucket's settings. It was rendered with `first` and `deliveries`. */
export default function SettingsIsland({ section, first, ...props }: Props) {
  const { data: bucket } = useQuery<BucketWire>({
    queryKey: bucketKey(first.id),
    queryFn: () => getBucket(first.id),
    initialData: first,
  });

  return (
    <>
      <PageHead
        title="Settings"
        text="Manage the bucket’s name, webhook, files, bandwidth and access, or delete it."
      />
      <SettingsTabs bucketId={bucket.id} current={section} />
      <div className="panels">
        <Panels section={section} bucket={bucket} {...props} />
      </div>
    </>
  );
}

function Panels({
  section,
  bucket,
  deliveries,
  email,
  siteUrl,
  hasS3,
}: Omit<Props, 'first'> & { bucket: BucketWire }) {
  switch (section) {
    case 'general':
      return (
        <>
          <GeneralPanel bucket={bucket} />
          {hasS3 && <S3Panel bucket={bucket} />}
          <BucketDeletion bucket={bucket} email={email} />
        </>
      );
    case 'webhook':
      return (
        <>
          <WebhookPanel bucket={bucket} />
          <WebhookAttempts bucket={bucket} first={deliveries} />
        </>
      );
    case 'uploads':
      return (
        <>
          <UploadsPanel bucket={bucket} />
          <OriginalsPanel bucket={bucket} />
        </>
      );
    case 'retention':
      return (
        <>
          <RetentionPanel bucket={bucket} />
          <ExpiryPanel bucket={bucket} />
        </>
      );
    case 'delivery':
      return (
        <>
          <TransformsPanel bucket={bucket} />
          <BandwidthPanel bucket={bucket} />
          <SitePanel bucket={bucket} siteUrl={siteUrl} />
        </>
      );
    case 'access':
      return <AccessPanel bucket={bucket} />;
  }
}

const BucketDeletion = ({ bucket, email }: { bucket: BucketWire; email: string }) => (
  <Deletion
    name="Delete Bucket"
    text="This permanently deletes the bucket and all of its files. This can’t be undone."
    confirmation={{ subject: 'delete-bucket', bucket_id: bucket.id }}
    email={email}
    getLoss={() => getContents(bucket.id)}
    describe={(loss) =>
      `All data of ${bucket.name} will be wiped${loss ? `: ${deletionImpactText(loss)}` : ''}. Delivery stops immediately.`
    }
    remove={(code) => deleteBucket(bucket.id, code)}
    leave={() => {
      setFlashMessage({ kind: 'success', text: `Bucket “${bucket.name}” deleted.` });
      openPage('/dashboard');
    }}
  />
);

/** The bucket's name and webhook, which are saved together, and its location. */
function GeneralPanel({ bucket }: { bucket: BucketWire }) {
  /** Only these are sent, because another tab may have changed the rest. */
  const [changes, setChanges] = useState<BucketChanges>({});
  const { name, webhook } = { ...bucket, ...changes };
  const client = useQueryClient();
  const separateRegions = useSeparateRegions();
  const save = useMutation({
    // A form in which nothing was edited is saved as it is, because the API refuses a change of nothing.
    mutationFn: () => saveBucket(bucket.id, Object.keys(changes).length > 0 ? changes : { name }),
    onSuccess: async (saved) => {
      setChanges({});
      showInNavigation(saved.name);
      client.setQueryData(bucketKey(bucket.id), saved);
      notify.success('Settings saved.');
      await client.invalidateQueries({ queryKey: ['buckets'] });
    },
  });
  const { error, clear } = useFormError(save);
  const change = (field: BucketChanges) => {
    clear();
    setChanges({ ...changes, ...field });
  };
  const errorOf = (field: string) => (error?.startsWith(`The ${field}`) ? error : null);

  return (
    <Panel title="General" text="Only you see this name. It isn’t part of file URLs.">
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        <div className="grid gap-4 md:grid-cols-2">
          <TextField
            label="Bucket name"
            autoComplete="off"
            required
            maxLength={BUCKET_NAME_MAX}
            value={name}
            error={errorOf('name')}
            onValue={(name) => change({ name })}
          />
          <TextField
            label="Location"
            readOnly
            className="text-quiet"
            value={bucket.region ? REGIONS[bucket.region] : 'Default region'}
            help={separateRegions ? storageNote(bucket.region, separateRegions) : '\u00a0'}
            onValue={() => {}}
          />
        </div>
        <TextField
          label="Webhook URL"
          type="url"
          autoComplete="off"
          spellCheck={false}
          placeholder="https://example.com/hooks/wharf"
          className="font-mono text-xs"
          maxLength={WEBHOOK_MAX}
          value={webhook}
          error={errorOf('webhook')}
          help={
            <>
              We send a POST here when a file is ready, fails or is deleted. Leave empty to disable.
              The secret, tests and deliveries are on the page{' '}
              <a className="underline" href={settingsPath(bucket.id, 'webhook')}>
                Webhook
              </a>
              .
            </>
          }
          onValue={(value) => change({ webhook: value.trim() })}
        />
        <Button type="submit" className="btn-primary self-start" pending={save.isPending}>
          Save Changes
        </Button>
      </form>
    </Panel>
  );
}

/** Updates the bucket's name in the navigation and the title, which were rendered with the page. */
function showInNavigation(name: string) {
  document.title = documentTitle(settingsTitle(name));
  for (const element of document.querySelectorAll('[data-bucket-name]')) element.textContent = name;
}
