import type { BucketStatus } from '../../server/contract/wire.ts';

/** Available when running, Unavailable whatever else is the matter. */
export function BucketStatusMark({ status }: { status: BucketStatus }) {
  const available = status === 'running';
  return (
    <span
      className={`inline-flex items-center gap-1.5 font-medium ${available ? 'text-success' : 'text-error'}`}
    >
      <span className="size-1.5 rounded-full bg-current" aria-hidden="true" />
      {available ? 'Available' : 'Unavailable'}
    </span>
  );
}
