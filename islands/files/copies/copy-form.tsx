import { useInfiniteQuery } from '@tanstack/react-query';
import { type ChangeEvent, useId, useState } from 'react';
import { call } from '../../runtime/api.ts';
import { Button } from '../../ui/form/button.tsx';
import { MoveForm } from '../moves/move-dialog.tsx';

/** Asks for a bucket of the account, of which this one is the first, and for a folder in it. */
export function CopyForm({
  bucketId,
  start,
  onTarget,
  ...form
}: {
  bucketId: string;
  /** The folder that is chosen first. */
  start: string;
  error?: string | null;
  isPending: boolean;
  onChange?: () => void;
  onCancel: () => void;
  onTarget: (bucketId: string, folder: string) => void;
}) {
  const id = useId();
  const [target, setTarget] = useState(bucketId);
  const list = useInfiniteQuery({
    queryKey: ['buckets', 'targets'],
    queryFn: ({ pageParam }) =>
      call('GET /buckets', { query: pageParam ? { cursor: pageParam } : {} }),
    initialPageParam: '',
    getNextPageParam: ({ nextId }) => nextId,
  });
  const others = (list.data?.pages ?? [])
    .flatMap(({ data }) => data)
    .filter((bucket) => bucket.id !== bucketId);
  const choose = (event: ChangeEvent<HTMLSelectElement>) => {
    setTarget(event.target.value);
    form.onChange?.();
  };
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-col gap-1">
        <label htmlFor={id} className="font-medium">
          Bucket
        </label>
        <div className="flex gap-2">
          <select id={id} className="select w-full" value={target} onChange={choose}>
            <option value={bucketId}>This bucket</option>
            {others.map((bucket) => (
              <option key={bucket.id} value={bucket.id}>
                {bucket.name}
              </option>
            ))}
          </select>
          {list.hasNextPage && (
            <Button pending={list.isFetchingNextPage} onClick={() => list.fetchNextPage()}>
              More
            </Button>
          )}
        </div>
      </div>
      <MoveForm
        key={target}
        bucketId={target}
        start={target === bucketId ? start : ''}
        act="Copy"
        {...form}
        onFolder={(folder) => onTarget(target, folder)}
      />
    </div>
  );
}
