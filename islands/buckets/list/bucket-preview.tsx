import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { BUCKET_PREVIEW_FILES, type FilePreview } from '../../../server/contract/home/summary.ts';
import type { BucketWire } from '../../../server/contract/wire.ts';
import { FileThumb } from '../../files/shared.ts';
import { call } from '../../runtime/api.ts';

/** The place of the preview: the top of a card with a padding of 1rem, to its edges. */
export const PREVIEW_SHAPE = '-mx-4 -mt-4 mb-3.5 h-20';

const PLACES = Array.from({ length: BUCKET_PREVIEW_FILES }, (_, index) => index);

/**
 * The pictures of a bucket's newest files. They are loaded once the card is about to be visible, because a list
 * can have hundreds of cards.
 * @param props.first the files, if the page was rendered with them
 */
export function BucketPreview({ bucket, first }: { bucket: BucketWire; first?: FilePreview[] }) {
  const { ref, isNear } = useIsNear();
  const isEmpty = bucket.total_uploads === 0;
  const { data: files } = useQuery({
    queryKey: ['bucket-preview', bucket.id],
    queryFn: () => loadNewest(bucket.id),
    enabled: isNear && !isEmpty && bucket.status === 'running',
    ...(first && { initialData: first }),
  });
  return (
    <div
      ref={ref}
      className={`flex gap-px overflow-hidden border-b border-base-300 bg-base-100 ${PREVIEW_SHAPE}`}
    >
      {isEmpty ? (
        <p className="m-auto text-xs text-quiet">No files yet</p>
      ) : (
        PLACES.map((place) => {
          const file = files?.[place];
          return (
            <span key={place} className="min-w-0 flex-1 bg-base-200">
              {isNear && file && <FileThumb bucketId={bucket.id} file={file} isLarge />}
            </span>
          );
        })
      )}
    </div>
  );
}

const loadNewest = async (bucketID: string): Promise<FilePreview[]> => {
  const query = { limit: BUCKET_PREVIEW_FILES };
  return (await call('GET /files/:bucketID', { params: { bucketID }, query })).data;
};

/** Returns whether an element is, or ever was, about to be visible. */
function useIsNear() {
  const ref = useRef<HTMLDivElement>(null);
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    if (isNear || !ref.current) return;
    const observer = new IntersectionObserver(
      (entries) => setNear(entries.some((entry) => entry.isIntersecting)),
      { rootMargin: '200px' },
    );
    observer.observe(ref.current);
    return () => observer.disconnect();
  }, [isNear]);
  return { ref, isNear };
}
