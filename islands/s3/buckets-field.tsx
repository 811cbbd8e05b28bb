import { useEffect, useState } from 'react';
import {
  BUCKET_NAME_MAX,
  S3_KEY_MAX_BUCKETS,
  SEARCH_DEBOUNCE_MS,
} from '../../server/contract/limits.ts';
import { count } from '../../server/contract/units.ts';
import type { BucketWire } from '../../server/contract/wire.ts';
import { useBuckets } from '../buckets/shared.ts';
import { Button } from '../ui/form/button.tsx';
import { Choices } from '../ui/form/choices.tsx';
import { TextField } from '../ui/form/field.tsx';
import { toSearchParam } from '../ui/form/search-field.tsx';

/** A bucket that was chosen. */
export type BucketChoice = Pick<BucketWire, 'id' | 'name'>;

const CHOICES: { value: 'all' | 'some'; label: string; text: string }[] = [
  { value: 'all', label: 'All buckets', text: 'Also those you create later.' },
  { value: 'some', label: 'Some buckets', text: 'Only the ones you select.' },
];

/** Asks which buckets a key opens; null for all of the account. */
export function BucketsField({
  chosen,
  onChoose,
}: {
  chosen: BucketChoice[] | null;
  onChoose: (chosen: BucketChoice[] | null) => void;
}) {
  return (
    <div className="flex flex-col gap-3">
      <Choices
        legend="Buckets"
        choices={CHOICES}
        chosen={chosen === null ? 'all' : 'some'}
        disabled={false}
        onChoose={(value) => onChoose(value === 'all' ? null : (chosen ?? []))}
      />
      {chosen && <BucketPicker chosen={chosen} onChoose={onChoose} />}
    </div>
  );
}

/** Checkboxes of the account's buckets, of which those with a name can be searched. What is checked stays while others are shown. */
function BucketPicker({
  chosen,
  onChoose,
}: {
  chosen: BucketChoice[];
  onChoose: (chosen: BucketChoice[]) => void;
}) {
  const [text, setText] = useState('');
  const name = useSettled(toSearchParam(text));
  const list = useBuckets({ name, from: '', to: '' });
  const found = (list.data?.pages ?? []).flatMap(({ data }) => data);
  const isChosen = new Set(chosen.map(({ id }) => id));
  const toggle = (bucket: BucketChoice) =>
    onChoose(
      isChosen.has(bucket.id)
        ? chosen.filter(({ id }) => id !== bucket.id)
        : [...chosen, { id: bucket.id, name: bucket.name }],
    );
  return (
    <div className="flex flex-col gap-2">
      <TextField
        label="Search buckets"
        value={text}
        maxLength={BUCKET_NAME_MAX}
        autoComplete="off"
        help={
          chosen.length === 0
            ? 'Select at least one bucket.'
            : `${count(chosen.length, 'bucket')} selected: ${chosen.map((one) => one.name).join(', ')}`
        }
        onValue={setText}
        // The form would be sent.
        onKeyDown={(event) => {
          if (event.key === 'Enter') event.preventDefault();
        }}
      />
      <ul className="max-h-44 divide-y divide-base-300 overflow-y-auto rounded-md border border-edge">
        {found.map((bucket) => (
          <BucketOption
            key={bucket.id}
            bucket={bucket}
            isChecked={isChosen.has(bucket.id)}
            isDisabled={!isChosen.has(bucket.id) && chosen.length >= S3_KEY_MAX_BUCKETS}
            onToggle={() => toggle(bucket)}
          />
        ))}
        {found.length === 0 && (
          <li className="px-3 py-2 text-quiet">
            {list.isFetching ? 'Loading…' : 'No buckets found.'}
          </li>
        )}
        {list.hasNextPage && (
          <li className="p-2">
            <Button
              className="btn-sm"
              pending={list.isFetchingNextPage}
              onClick={() => list.fetchNextPage()}
            >
              Show more
            </Button>
          </li>
        )}
      </ul>
    </div>
  );
}

const BucketOption = ({
  bucket,
  isChecked,
  isDisabled,
  onToggle,
}: {
  bucket: BucketWire;
  isChecked: boolean;
  isDisabled: boolean;
  onToggle: () => void;
}) => (
  <li>
    <label className="flex cursor-pointer items-center gap-3 px-3 py-2 hover:bg-base-300">
      <input
        type="checkbox"
        className="checkbox checkbox-sm"
        checked={isChecked}
        disabled={isDisabled}
        onChange={onToggle}
      />
      <span className="min-w-0 grow truncate">{bucket.name}</span>
      <code className="shrink-0 truncate font-mono text-xs text-quiet">
        {bucket.s3_name ?? `…${bucket.id.slice(-6)}`}
      </code>
    </label>
  </li>
);

/** Returns a value once it hasn't changed for a moment. */
function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), SEARCH_DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
