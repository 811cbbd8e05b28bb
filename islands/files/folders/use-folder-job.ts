import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { FolderJobWire } from '../../../server/contract/wire.ts';
import { call } from '../../runtime/api.ts';
import { ApiError } from '../../runtime/api-error.ts';
import { notify } from '../../runtime/notify.ts';
import { reloadFiles } from '../moves/use-move.ts';
import { resultOf } from './job-texts.ts';

const POLL_INTERVAL_MS = 500;

type NewJob = Pick<FolderJobWire, 'action' | 'path'> & {
  target?: string;
  bucket_id?: string;
};

export type FolderJob = ReturnType<typeof useFolderJob>;

/**
 * Starts jobs that move, copy and delete folders, and follows the last one. Its result is a toast if it has done
 * everything; otherwise the job stays until it is dismissed. A job that runs already, as after a reload, is followed too.
 * @param isShown whether the page shows the job
 */
export function useFolderJob(bucketId: string, isShown: boolean) {
  const client = useQueryClient();
  const [id, setId] = useState<string | null>(null);
  const { data: running } = useQuery({
    queryKey: ['folder-jobs', bucketId],
    enabled: isShown && id === null,
    queryFn: () => call('GET /files/folder-jobs/:bucketID', { params: { bucketID: bucketId } }),
    select: ({ data }) => data.find(({ status }) => status === 'running')?.id,
  });
  useEffect(() => {
    if (running) setId((followed) => followed ?? running);
  }, [running]);
  const keyOf = (jobId: string | null) => ['folder-job', bucketId, jobId];
  const params = { bucketID: bucketId, jobID: id ?? '' };
  const { data: job, error } = useQuery({
    queryKey: keyOf(id),
    enabled: id !== null,
    queryFn: () => call('GET /files/folder-jobs/:bucketID/:jobID', { params }),
    refetchInterval: ({ state }) => isRunning(state.data, state.error) && POLL_INTERVAL_MS,
  });
  const start = useMutation({
    mutationFn: (body: NewJob) =>
      call('POST /files/folder-jobs/:bucketID', { params: { bucketID: bucketId }, body }),
    onSuccess: (started) => {
      client.setQueryData(keyOf(started.id), started);
      setId(started.id);
    },
  });
  const stop = useMutation({
    mutationFn: () => call('DELETE /files/folder-jobs/:bucketID/:jobID', { params }),
    onSuccess: (stopped) => client.setQueryData(keyOf(stopped.id), stopped),
  });

  useEffect(() => {
    if (!job || job.status === 'running') return;
    void reloadFiles(client, bucketId);
    void client.invalidateQueries({ queryKey: ['folder-jobs', bucketId] });
    if (job.status === 'stopped' || job.conflicts > 0) return;
    notify.success(resultOf(job));
    setId(null);
  }, [job, client, bucketId]);

  return { job, error, start, stop, dismiss: () => setId(null) };
}

/** A job that can't be loaded for a moment goes on; one that is not there any more has gone with its bucket. */
const isRunning = (job: FolderJobWire | undefined, error: Error | null) =>
  job?.status === 'running' && !(error instanceof ApiError && error.status === 404);
