import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { TransformPolicy } from '../../server/contract/transforms.ts';
import type { BucketWire } from '../../server/contract/wire.ts';
import { notify } from '../notify.ts';
import { Panel } from '../ui/panel.tsx';
import { bucketKey, setTransforms } from './settings-calls.ts';

const POLICIES: { policy: TransformPolicy; label: string; text: string }[] = [
  {
    policy: 'open',
    label: 'Open',
    text: 'Whoever may see an image may ask for it in another size, shape or format, within limits for each file. What is made counts as storage.',
  },
  {
    policy: 'off',
    label: 'Off',
    text: 'Images are delivered as they are; an address with parameters is refused. What was made is removed.',
  },
];

/** Whether the bucket's images can be had in other sizes and formats. A choice is saved at once. */
export function TransformsPanel({ bucket }: { bucket: BucketWire }) {
  const client = useQueryClient();
  const save = useMutation({
    mutationFn: (policy: TransformPolicy) => setTransforms(bucket.id, policy),
    onSuccess: (saved) => {
      client.setQueryData(bucketKey(bucket.id), saved);
      notify.success(`Image transforms are ${saved.transforms}.`);
    },
  });
  const chosen = save.isPending ? save.variables : bucket.transforms;

  return (
    <Panel
      title="Image transforms"
      text={
        <>
          Sizes, shapes and formats by parameters on an image’s address.{' '}
          <a href="/docs/transforms" className="rounded underline underline-offset-4">
            How it works
          </a>
        </>
      }
    >
      <fieldset>
        <legend className="sr-only">Image transforms</legend>
        <div className="grid gap-2 sm:grid-cols-2">
          {POLICIES.map(({ policy, label, text }) => (
            <button
              key={policy}
              type="button"
              aria-pressed={chosen === policy}
              aria-disabled={save.isPending || undefined}
              className="flex cursor-pointer flex-col rounded-md border border-edge px-3 py-2 text-left active:bg-base-300 hover:border-quiet aria-pressed:border-primary"
              onClick={() => {
                if (policy !== bucket.transforms && !save.isPending) save.mutate(policy);
              }}
            >
              <span className={chosen === policy ? 'font-medium text-primary' : 'font-medium'}>
                {label}
              </span>
              <span className="mt-0.5 text-quiet">{text}</span>
            </button>
          ))}
        </div>
      </fieldset>
    </Panel>
  );
}
