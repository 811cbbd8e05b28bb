import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { BucketWire } from '../../../server/contract/wire.ts';
import { notify } from '../../runtime/notify.ts';
import { Choices } from '../../ui/form/choices.tsx';
import { useSingleAction } from '../../ui/form/single-action.ts';
import { Panel } from '../../ui/panel.tsx';
import { bucketKey, setRetention } from './settings-calls.ts';

const CHOICES: { value: 'on' | 'off'; label: string; text: string }[] = [
  {
    value: 'on',
    label: 'Keep',
    text: 'Uploaded images and videos stay as they are, beside what is delivered. ZIPs and S3 clients get them.',
  },
  {
    value: 'off',
    label: 'Delete',
    text: 'Originals are deleted after processing, unless the delivered file has lost something. This takes less storage.',
  },
];

/** Says whether the bucket keeps the originals of images and videos. It is saved immediately, as it deletes nothing. */
export function OriginalsPanel({ bucket }: { bucket: BucketWire }) {
  const client = useQueryClient();
  const save = useMutation({
    mutationFn: (keep_originals: boolean) => setRetention(bucket.id, { keep_originals }),
    onSuccess: (saved) => {
      client.setQueryData(bucketKey(bucket.id), saved);
      notify.success(
        saved.keep_originals ? 'Originals are kept.' : 'Originals are deleted after processing.',
      );
    },
  });
  const start = useSingleAction(save.isPending);
  const isKept = save.isPending ? save.variables : bucket.keep_originals;
  const choose = (value: 'on' | 'off') => {
    if ((value === 'on') !== bucket.keep_originals && start()) save.mutate(value === 'on');
  };
  return (
    <Panel
      title="Originals"
      text="Originals are private and count towards storage. Changes apply to images and videos uploaded from now on."
    >
      <Choices
        legend="Originals"
        choices={CHOICES}
        chosen={isKept ? 'on' : 'off'}
        disabled={save.isPending}
        onChoose={choose}
      />
    </Panel>
  );
}
