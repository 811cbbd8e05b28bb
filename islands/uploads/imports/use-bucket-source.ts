import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { CallInput } from '../../../server/contract/calls.ts';
import { call } from '../../runtime/api.ts';
import { notify } from '../../runtime/notify.ts';

type NewSource = CallInput<'PUT /buckets/source/:bucketID'>['body'];

/**
 * Gets, sets and removes the bucket of another S3 server from which a bucket fetches files that it does not have.
 * @param isShown whether the page shows it
 */
export function useBucketSource(bucketId: string, isShown: boolean) {
  const client = useQueryClient();
  const queryKey = ['bucket-source', bucketId];
  const params = { bucketID: bucketId };
  const found = useQuery({
    queryKey,
    enabled: isShown,
    queryFn: () => call('GET /buckets/source/:bucketID', { params }),
  });
  const reload = () => client.invalidateQueries({ queryKey });
  const set = useMutation({
    mutationFn: (body: NewSource) => call('PUT /buckets/source/:bucketID', { params, body }),
    onSuccess: () => {
      notify.success('Missing files are fetched on first read.');
      return reload();
    },
  });
  const remove = useMutation({
    mutationFn: () => call('DELETE /buckets/source/:bucketID', { params }),
    onSuccess: () => {
      notify.success('Missing files are no longer fetched.');
      return reload();
    },
  });
  const clear = useMutation({
    mutationFn: () => call('DELETE /buckets/source/:bucketID/exclusions', { params }),
    onSuccess: () => {
      notify.success('Deleted files are fetched again.');
      return reload();
    },
  });
  return { source: found.data?.source ?? null, isLoading: found.isLoading, set, remove, clear };
}
