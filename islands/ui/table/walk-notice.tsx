import { count as countOf, formatCount } from '../../../server/contract/units.ts';
import { MAX_ROWS, type Walk } from './use-walk-to-end.ts';

/**
 * Tells how far End has come in a list that is loaded page by page. Screen readers hear where it begins and ends,
 * and not each page. It lies over the top of the rows, as the focus is at their bottom.
 * @param props.count how many rows are loaded
 */
export function WalkNotice({ walk, count }: { walk: Walk | null; count: number }) {
  const isSeen = walk === 'going' || walk === 'paused';
  return (
    <div className="pointer-events-none sticky top-10 left-0 z-20 flex h-0 justify-center max-md:top-14">
      <p
        aria-live="polite"
        className={
          isSeen
            ? 'numbers mt-2 h-8 rounded-md border border-base-300 bg-base-100 px-3 text-xs leading-8 shadow-lg'
            : 'sr-only'
        }
      >
        {walk === 'going' && 'Loading all rows. Press any key to stop.'}
        {walk === 'going' && <span aria-hidden> {countOf(count, 'row')} so far.</span>}
        {walk === 'paused' && `Loaded ${formatCount(MAX_ROWS)} more rows. Press End to continue.`}
        {walk === 'ended' && `All ${countOf(count, 'row')} loaded.`}
      </p>
    </div>
  );
}
