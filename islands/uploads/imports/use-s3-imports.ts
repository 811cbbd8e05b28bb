import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { CallInput } from '../../../server/contract/calls.ts';
import { call } from '../../runtime/api.ts';
import { filesKey } from '../files-key.ts';

const POLL_INTERVAL_MS = 1000;

type NewImport = CallInput<'POST /files/s3-imports/:bucketID'>['body'];

/**
 * Starts, follows and stops the imports of a bucket from S3 servers.
 * @param isShown whether the page shows them
 */
export function useS3Imports(bucketId: string, isShown: boolean) {
  const client = useQueryClient();
  const queryKey = ['s3-imports', bucketId];
  const params = { bucketID: bucketId };
  const list = useQuery({
    queryKey,
    enabled: isShown,
    queryFn: () => call('GET /files/s3-imports/:bucketID', { params }),
    refetchInterval: ({ state }) => state.data?.data[0]?.status === 'running' && POLL_INTERVAL_MS,
  });
  const reload = () => client.invalidateQueries({ queryKey });
  const start = useMutation({
    mutationFn: (body: NewImport) => call('POST /files/s3-imports/:bucketID', { params, body }),
    onSuccess: reload,
  });
  const stop = useMutation({
    mutationFn: (importID: string) =>
      call('DELETE /files/s3-imports/:bucketID/:importID', { params: { ...params, importID } }),
    onSuccess: reload,
  });
  const last = list.data?.data[0];
  const isEnded = last !== undefined && last.status !== 'running';
  useEffect(() => {
    if (isEnded) void client.invalidateQueries({ queryKey: filesKey(bucketId) });
  }, [isEnded, client, bucketId]);
  return { last, isLoading: list.isLoading, error: list.error, start, stop };
}
