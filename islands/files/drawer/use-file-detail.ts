import { useQuery } from '@tanstack/react-query';
import { MINUTE, SECOND } from '../../../server/contract/limits.ts';
import { call } from '../../runtime/api.ts';

const PROCESSING_INTERVAL = 2 * SECOND;
/** Its token for private files lives an hour. */
const TOKEN_INTERVAL = 30 * MINUTE;

/**
 * Everything about one file, null for none; asked for again by itself while it is processed.
 */
export const useFileDetail = (bucketId: string, fileId: string | null) =>
  useQuery({
    queryKey: ['file', bucketId, fileId],
    enabled: fileId !== null,
    queryFn: () =>
      call('GET /files/:bucketID/:fileID', {
        params: { bucketID: bucketId, fileID: fileId ?? '' },
      }),
    refetchInterval: ({ state }) =>
      state.data?.status === 'processing' ? PROCESSING_INTERVAL : TOKEN_INTERVAL,
  });
