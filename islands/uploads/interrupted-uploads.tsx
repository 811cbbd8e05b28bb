import { type ComponentProps, useEffect, useState } from 'react';
import { onFirstSign } from '../runtime/first-sign.ts';
import { Button } from '../ui/form/button.tsx';
import { LazyPart, loadable } from '../ui/on-demand.tsx';
import { hasResumeEntries } from './resume/resume-keys.ts';

const loadList = loadable(
  async () => (await import('./resume/interrupted-list.tsx')).InterruptedList,
);

type Props = ComponentProps<NonNullable<typeof loadList.loaded>>;

/**
 * The interrupted uploads of a bucket. Their code is loaded with the page only where the browser remembers some, and
 * otherwise when the user begins to use the page.
 */
export function InterruptedUploads(props: Props) {
  const { bucketId } = props;
  const [isNeeded, setNeeded] = useState(false);
  useEffect(() => {
    if (hasResumeEntries(bucketId)) setNeeded(true);
    else return onFirstSign(() => setNeeded(true));
  }, [bucketId]);
  if (!isNeeded) return null;
  return (
    <LazyPart
      load={loadList}
      props={props}
      waiting={null}
      failure={(retry) => hasResumeEntries(bucketId) && <Failure {...retry} />}
    />
  );
}

const Failure = ({ onRetry, isPending }: { onRetry: () => void; isPending: boolean }) => (
  <div
    role="alert"
    className="mt-4 flex flex-wrap items-center justify-between gap-x-4 gap-y-2 rounded-lg border border-warning px-3 py-2"
  >
    <p>The interrupted uploads could not be loaded.</p>
    <Button pending={isPending} onClick={onRetry}>
      Try again
    </Button>
  </div>
);
