import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { TransformPolicy } from '../../../server/contract/transforms.ts';
import { count, formatBytes } from '../../../server/contract/units.ts';
import type { BucketWire } from '../../../server/contract/wire.ts';
import { notify } from '../../runtime/notify.ts';
import { ConfirmDialog } from '../../ui/dialog/dialog.tsx';
import { Choices } from '../../ui/form/choices.tsx';
import { useSingleAction } from '../../ui/form/single-action.ts';
import { Panel } from '../../ui/panel.tsx';
import { bucketKey, getTransforms, setTransforms } from './settings-calls.ts';

const POLICIES: { value: TransformPolicy; label: string; text: string }[] = [
  {
    value: 'open',
    label: 'Open',
    text: 'Anyone who can view an image can request other sizes and formats, within limits for each file. Generated images count towards storage.',
  },
  {
    value: 'off',
    label: 'Off',
    text: 'Images are delivered as uploaded, and URLs with parameters are refused. Generated images are deleted.',
  },
];

/** Turns image transforms on or off. Turning them on loses nothing, so it is saved immediately. */
export function TransformsPanel({ bucket }: { bucket: BucketWire }) {
  const [asking, setAsking] = useState(false);
  const client = useQueryClient();
  const save = useMutation({
    mutationFn: (policy: TransformPolicy) => setTransforms(bucket.id, policy),
    onSuccess: (saved) => {
      client.setQueryData(bucketKey(bucket.id), saved);
      notify.success(`Image transforms are ${saved.transforms}.`);
    },
  });
  /** Turning transforms off asks first, and says how many images are deleted. */
  const countImages = useMutation({
    mutationFn: () => getTransforms(bucket.id),
    onSuccess: () => setAsking(true),
  });
  const busy = save.isPending || countImages.isPending;
  const start = useSingleAction(busy);
  const choose = (policy: TransformPolicy) => {
    if (policy === bucket.transforms || !start()) return;
    if (policy === 'off') countImages.mutate();
    else save.mutate(policy);
  };

  return (
    <Panel
      title="Image transforms"
      text={
        <>
          Resize, crop and convert images with URL parameters.{' '}
          <a href="/docs/transforms" className="rounded underline underline-offset-4">
            How it works
          </a>
        </>
      }
    >
      <Choices
        legend="Image transforms"
        choices={POLICIES}
        chosen={save.isPending ? save.variables : bucket.transforms}
        disabled={busy}
        onChoose={choose}
      />
      <ConfirmDialog
        open={asking}
        title="Turn image transforms off"
        text={lossOf(countImages.data)}
        act="Turn off"
        onConfirm={() => {
          setAsking(false);
          save.mutate('off');
        }}
        onClose={() => setAsking(false)}
      />
    </Panel>
  );
}

function lossOf(loss: { images: number; bytes: number } | undefined): string {
  const deletionText = loss?.images
    ? ` ${count(loss.images, 'generated image')}, ${formatBytes(loss.bytes)}, will be deleted. They are generated again if you turn this back on.`
    : '';
  return `URLs with parameters stop working immediately, and pages that use them show no image.${deletionText} The original files are kept.`;
}
