import Check from 'lucide-react/icons/check';
import { formatBytes } from '../../../server/contract/units.ts';
import type { BucketWire } from '../../../server/contract/wire.ts';

/** So near to its end the list asks for more, in pixels. */
const NEAR = 240;
/** From so many on, the list's height stays the same whatever is found. */
export const FIXED_FROM = 10;

/** The list of a combobox, whose input keeps the focus. The options are links, for a second tab too. */
export function BucketOptions({
  id,
  buckets,
  isTall,
  isLoading,
  activeId,
  currentId,
  idOf,
  onActivate,
  onNearEnd,
}: {
  id: string;
  buckets: BucketWire[];
  isTall: boolean;
  isLoading: boolean;
  activeId: string | null;
  currentId: string | null;
  idOf: (bucketId: string) => string;
  onActivate: (bucketId: string) => void;
  onNearEnd: () => void;
}) {
  return (
    <div
      id={id}
      role="listbox"
      aria-label="Buckets"
      aria-busy={isLoading}
      tabIndex={-1}
      className={`overflow-y-auto overscroll-contain ${isTall ? 'h-72' : 'max-h-72'}`}
      onScroll={({ currentTarget: list }) => {
        if (list.scrollHeight - list.scrollTop - list.clientHeight < NEAR) onNearEnd();
      }}
    >
      {isLoading && <OptionShapes />}
      {buckets.map((bucket) => (
        <a
          key={bucket.id}
          id={idOf(bucket.id)}
          role="option"
          aria-selected={bucket.id === currentId}
          data-active={bucket.id === activeId || undefined}
          tabIndex={-1}
          href={`/dashboard/bucket/${bucket.id}`}
          className="picker-option"
          onPointerMove={() => {
            if (bucket.id !== activeId) onActivate(bucket.id);
          }}
        >
          <span className="min-w-0 grow truncate">{bucket.name}</span>
          <span className="numbers shrink-0 text-xs font-normal text-quiet">
            {formatBytes(bucket.usage)}
          </span>
          <span className="size-4 shrink-0 text-primary">
            {bucket.id === currentId && <Check size={16} aria-hidden />}
          </span>
        </a>
      ))}
    </div>
  );
}

const SHAPES = ['w-2/5', 'w-3/5', 'w-1/2'];

/** What stands where options will be. */
const OptionShapes = () =>
  SHAPES.map((width) => (
    <div key={width} aria-hidden="true" className="flex h-9 items-center px-2.5">
      <span className={`skeleton h-3.5 ${width}`} />
    </div>
  ));
