import { useEffect, useRef } from 'react';
import { Button } from '../form/button.tsx';
import { Spinner } from '../states.tsx';

/** Stands at the end of a list and asks for the next page when it comes near to being seen. */
export function LoadMore({
  loading,
  failed,
  onNear,
}: {
  loading: boolean;
  /** After a failure it waits to be asked, or it would try for ever. */
  failed: boolean;
  onNear: () => void;
}) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (loading || failed || !place.current) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) onNear();
      },
      // The second is for lists that scroll in a box, where the browser knows it.
      { rootMargin: '400px', scrollMargin: '1000px' },
    );
    observer.observe(place.current);
    return () => observer.disconnect();
  }, [loading, failed, onNear]);
  return (
    <div ref={place} className="flex h-14 items-center justify-center">
      {loading && <Spinner label="Loading more" />}
      {failed && !loading && <Button onClick={onNear}>Try again</Button>}
    </div>
  );
}
