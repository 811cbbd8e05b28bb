import { useQuery } from '@tanstack/react-query';
import type { FileWire } from '../../server/contract/wire.ts';
import { authHeader } from '../runtime/api.ts';

/** Rows that are scrolled past faster than this draw and load nothing. */
export const DRAW_DELAY_MS = 60;

/** Loads the thumbnail of a visible file. Returns nothing until it is there, and for a file without one. */
export function useThumbnail(bucketId: string, { id, status, thumbhash }: FileWire) {
  const { data } = useQuery({
    queryKey: ['thumbnail', bucketId, id],
    enabled: status === 'success' && thumbhash !== null,
    queryFn: ({ signal }) => loadThumbnail(`/files/${bucketId}/${id}/thumbnail`, signal),
    staleTime: 'static',
    retry: false,
  });
  return data;
}

/** Loads a thumbnail; null where the file has none now. Rejects when `signal` aborts. */
async function loadThumbnail(url: string, signal: AbortSignal): Promise<Blob | null> {
  await new Promise((resolve) => setTimeout(resolve, DRAW_DELAY_MS));
  signal.throwIfAborted();
  const response = await fetch(url, { headers: authHeader(), signal });
  return response.status === 200 ? response.blob() : null;
}
