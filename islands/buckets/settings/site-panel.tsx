import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { BucketWire } from '../../../server/contract/wire.ts';
import { notify } from '../../runtime/notify.ts';
import { Choices } from '../../ui/form/choices.tsx';
import { useSingleAction } from '../../ui/form/single-action.ts';
import { Panel } from '../../ui/panel.tsx';
import { bucketKey, setDeliveryRules } from './settings-calls.ts';

const CHOICES: { value: 'on' | 'off'; label: string; text: string }[] = [
  {
    value: 'on',
    label: 'On',
    text: 'Folders show their index.html, and missing paths show 404.html. HTML pages open in browsers, sandboxed: without cookies, storage and forms.',
  },
  {
    value: 'off',
    label: 'Off',
    text: 'Files are delivered by their exact path. HTML is downloaded.',
  },
];

/**
 * Turns the bucket into a static site, or back.
 * @param siteUrl where the site is; null where files have no host of their own, which a site needs
 */
export function SitePanel({ bucket, siteUrl }: { bucket: BucketWire; siteUrl: string | null }) {
  const client = useQueryClient();
  const save = useMutation({
    mutationFn: (static_site: boolean) => setDeliveryRules(bucket.id, { static_site }),
    onSuccess: (saved) => {
      client.setQueryData(bucketKey(bucket.id), saved);
      notify.success(`Static site is ${saved.static_site ? 'on' : 'off'}.`);
    },
  });
  const start = useSingleAction(save.isPending);
  const isOn = save.isPending ? save.variables : bucket.static_site;
  const choose = (value: 'on' | 'off') => {
    if ((value === 'on') !== bucket.static_site && start()) save.mutate(value === 'on');
  };
  return (
    <Panel title="Static site" text={<SiteText siteUrl={siteUrl} isOn={isOn} />}>
      {(siteUrl !== null || bucket.static_site) && (
        <Choices
          legend="Static site"
          choices={CHOICES}
          chosen={isOn ? 'on' : 'off'}
          disabled={save.isPending}
          onChoose={choose}
        />
      )}
    </Panel>
  );
}

function SiteText({ siteUrl, isOn }: { siteUrl: string | null; isOn: boolean }) {
  if (siteUrl === null) {
    return 'Static sites need a separate host for files. This server doesn’t have one: its admin can set CDN_URL.';
  }
  if (!isOn) return 'Publish the public files of this bucket as a website.';
  return (
    <>
      The public files of this bucket are a website at{' '}
      <a href={siteUrl} rel="noreferrer" className="rounded break-all underline underline-offset-4">
        {siteUrl}
      </a>
    </>
  );
}
