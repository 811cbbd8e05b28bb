import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { SECOND } from '../../server/contract/limits.ts';
import { api, call } from '../runtime/api.ts';
import { notify } from '../runtime/notify.ts';

const JOBS_INTERVAL = 5 * SECOND;

export const useBucketDetail = (id: string | null) =>
  useQuery({
    queryKey: ['admin', 'bucket', id],
    enabled: id !== null,
    queryFn: () => call(api.admin.buckets({ bucketID: id ?? '' }).get()),
  });

export const useUserDetail = (id: string | null) =>
  useQuery({
    queryKey: ['admin', 'user', id],
    enabled: id !== null,
    queryFn: () => call(api.admin.users({ userID: id ?? '' }).get()),
  });

export type Thing = { kind: 'bucket' | 'user'; id: string };
type Act = Thing & { act: 'ban' | 'unban' };

/** The calls about one bucket or user. */
const about = ({ kind, id }: Thing) =>
  kind === 'bucket' ? api.admin.buckets({ bucketID: id }) : api.admin.users({ userID: id });

const banOf = ({ act, ...thing }: Act) =>
  act === 'ban' ? about(thing).ban.post() : about(thing).unban.post();

const removalOf = ({ kind, id }: Thing, name: string) =>
  kind === 'bucket'
    ? api.admin.buckets({ bucketID: id }).delete({ name })
    : api.admin.users({ userID: id }).delete({ email: name });

/** What is changed shows in lists and drawers alike. */
function useChange<Given>(
  change: (given: Given) => Promise<unknown>,
  said: (given: Given) => string,
) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: (_, given) => {
      notify.success(said(given));
      return client.invalidateQueries({ queryKey: ['admin'] });
    },
  });
}

const NAMES = { bucket: 'Bucket', user: 'User' };

export const useBan = () =>
  useChange(
    (act: Act) => call(banOf(act)),
    ({ kind, act }) => `${NAMES[kind]} ${act === 'ban' ? 'banned' : 'no longer banned'}.`,
  );

export const useRemoval = () =>
  useChange(
    ({ name, ...thing }: Thing & { name: string }) => call(removalOf(thing, name)),
    ({ kind }) => `${NAMES[kind]} is being deleted.`,
  );

export const useGrant = (userId: string) =>
  useChange(
    (grant: { usd: number; id: string }) =>
      call(api.admin.users({ userID: userId }).credit.post(grant)),
    ({ usd }) => (usd > 0 ? 'Credit granted.' : 'Credit taken.'),
  );

export const useHideLog = () =>
  useChange(
    (id: string) => call(api.admin.logs({ logID: id }).delete()),
    () => 'Log entry deleted.',
  );

export const useRetry = () =>
  useChange(
    (id: string) => call(api.admin.jobs({ jobID: id }).retry.post()),
    () => 'The job waits for its turn.',
  );

export const useJobs = (first: Awaited<ReturnType<typeof loadJobs>>) =>
  useQuery({
    queryKey: ['admin', 'jobs'],
    queryFn: loadJobs,
    initialData: first,
    refetchInterval: JOBS_INTERVAL,
  });

export const useOwed = (first: Awaited<ReturnType<typeof loadOwed>>) =>
  useQuery({ queryKey: ['admin', 'owed'], queryFn: loadOwed, initialData: first });

const loadOwed = () => call(api.admin.payments.owed.get({ query: {} }));

const loadJobs = () => call(api.admin.jobs.get());
