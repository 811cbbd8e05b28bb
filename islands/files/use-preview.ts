import { useQuery } from '@tanstack/react-query';
import type { FilePreview } from '../../server/contract/home/summary.ts';
import { authHeader } from '../runtime/api.ts';

/** Rows that are scrolled past faster than this draw and load nothing. */
export const DRAW_DELAY_MS = 60;

/**
 * Loads an image of a file that is made for the dashboard and not counted as bandwidth: the thumbnail of a
 * visible row or card, or the preview in the details. Returns undefined until it is there, and null for a file without
 * one.
 */
export function usePreview(
  bucketId: string,
  { id, status, thumbhash, file_type }: FilePreview,
  size: 'thumbnail' | 'card' | 'preview',
): Blob | null | undefined {
  // Of a file that is stored as it is, only an image that has been read has a hash.
  const hasPreview = file_type === 'image' || file_type === 'video' || thumbhash !== null;
  const { data, isError } = useQuery({
    queryKey: [size, bucketId, id],
    // A row without a hash shows an icon.
    enabled: status === 'success' && (thumbhash !== null || (size === 'preview' && hasPreview)),
    queryFn: ({ signal }) => loadPreview(`/files/${bucketId}/${id}/${size}`, signal),
    staleTime: 'static',
    retry: false,
  });
  return isError || !hasPreview ? null : data;
}

/** Loads an image; null where the file has none now. Rejects when `signal` aborts. */
async function loadPreview(url: string, signal: AbortSignal): Promise<Blob | null> {
  await new Promise((resolve) => setTimeout(resolve, DRAW_DELAY_MS));
  signal.throwIfAborted();
  const response = await fetch(url, { headers: authHeader(), signal });
  return response.status === 200 ? response.blob() : null;
}
