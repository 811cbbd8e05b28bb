import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { SECOND } from '../../server/contract/limits.ts';
import type { AdminLedgerWire, AdminPaymentWire, Page } from '../../server/contract/wire.ts';
import { authHeader, call } from '../runtime/api.ts';
import { ApiError, errorText } from '../runtime/api-error.ts';
import { notify } from '../runtime/notify.ts';

const JOBS_INTERVAL = 5 * SECOND;

export const useBucketDetail = (id: string | null) =>
  useQuery({
    queryKey: ['admin', 'bucket', id],
    enabled: id !== null,
    queryFn: () => call('GET /admin/buckets/:bucketID', { params: { bucketID: id ?? '' } }),
  });

export const useUserDetail = (id: string | null) =>
  useQuery({
    queryKey: ['admin', 'user', id],
    enabled: id !== null,
    queryFn: () => call('GET /admin/users/:userID', { params: { userID: id ?? '' } }),
  });

export type Thing = { kind: 'bucket' | 'user'; id: string };
type Act = Thing & { act: 'ban' | 'unban' };

function setBanned({ kind, id, act }: Act) {
  return kind === 'bucket'
    ? call(`POST /admin/buckets/:bucketID/${act}`, { params: { bucketID: id } })
    : call(`POST /admin/users/:userID/${act}`, { params: { userID: id } });
}

const remove = ({ kind, id }: Thing, name: string) =>
  kind === 'bucket'
    ? call('DELETE /admin/buckets/:bucketID', { params: { bucketID: id }, body: { name } })
    : call('DELETE /admin/users/:userID', { params: { userID: id }, body: { email: name } });

/** A change by the admin. It shows a toast, and reloads what can be seen of lists and drawers. */
function useChange<Given>(
  change: (input: Given) => Promise<unknown>,
  toastText: (input: Given) => string,
) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: (_, input) => {
      notify.success(toastText(input));
      return client.invalidateQueries({ queryKey: ['admin'] });
    },
  });
}

const NAMES = { bucket: 'Bucket', user: 'User' };

export const useBan = () =>
  useChange(
    setBanned,
    ({ kind, act }) => `${NAMES[kind]} ${act === 'ban' ? 'banned' : 'unbanned'}.`,
  );

export const useRemoval = () =>
  useChange(
    ({ name, ...thing }: Thing & { name: string }) => remove(thing, name),
    ({ kind }) => `${NAMES[kind]} is being deleted.`,
  );

export const useGrant = (userId: string) =>
  useChange(
    (grant: { usd: number; id: string }) =>
      call('POST /admin/users/:userID/credit', { params: { userID: userId }, body: grant }),
    ({ usd }) => (usd > 0 ? 'Credit granted.' : 'Credit deducted.'),
  );

/** How many payments or ledger entries a drawer shows at first, and adds each time. */
const MONEY_PAGE_SIZE = 10;

function useMoneyList<Row>(
  userId: string,
  what: string,
  load: (query: { cursor: string; limit: number }) => Promise<Page<Row>>,
) {
  return useInfiniteQuery({
    queryKey: ['admin', 'user', userId, what],
    queryFn: ({ pageParam }) => load({ cursor: pageParam, limit: MONEY_PAGE_SIZE }),
    initialPageParam: '0',
    getNextPageParam: (page) => page.nextId,
  });
}

export const useUserPayments = (userId: string) =>
  useMoneyList<AdminPaymentWire>(userId, 'payments', (query) =>
    call('GET /admin/users/:userID/payments', { params: { userID: userId }, query }),
  );

export const useUserLedger = (userId: string) =>
  useMoneyList<AdminLedgerWire>(userId, 'ledger', (query) =>
    call('GET /admin/users/:userID/ledger', { params: { userID: userId }, query }),
  );

export type RefundInput = { usd: number; reason: string; by: 'provider' | 'other'; id: string };

export const useRefund = (paymentId: string) =>
  useChange(
    (refund: RefundInput) =>
      call('POST /admin/payments/:paymentID/refund', {
        params: { paymentID: paymentId },
        body: refund,
      }),
    ({ by }) => (by === 'provider' ? 'Payment refunded.' : 'Refund recorded.'),
  );

export const useStorageLimit = (userId: string) =>
  useChange(
    (maxBytes: number | null) =>
      call('PUT /admin/users/:userID/storage-limit', {
        params: { userID: userId },
        body: { max_bytes: maxBytes },
      }),
    () => 'Storage limit changed.',
  );

export const useHideLog = () =>
  useChange(
    (id: string) => call('DELETE /admin/logs/:logID', { params: { logID: id } }),
    () => 'Log entry deleted.',
  );

export const useRetry = () =>
  useChange(
    (id: string) => call('POST /admin/jobs/:jobID/retry', { params: { jobID: id } }),
    () => 'Job queued.',
  );

export const useJobs = (first: Awaited<ReturnType<typeof loadJobs>>) =>
  useQuery({
    queryKey: ['admin', 'jobs'],
    queryFn: loadJobs,
    initialData: first,
    refetchInterval: JOBS_INTERVAL,
  });

export const useOwedPayments = (first: Awaited<ReturnType<typeof loadOwedPayments>>) =>
  useQuery({ queryKey: ['admin', 'owed'], queryFn: loadOwedPayments, initialData: first });

const loadOwedPayments = () => call('GET /admin/payments/owed');

const HEALTH_INTERVAL = 10 * SECOND;

/** @param first what the page was rendered with; undefined where it is loaded later */
export const useOperations = (first: Awaited<ReturnType<typeof loadOperations>> | undefined) =>
  useQuery({
    queryKey: ['admin', 'operations'],
    queryFn: loadOperations,
    refetchInterval: HEALTH_INTERVAL,
    ...(first && { initialData: first }),
  });

const loadOperations = () => call('GET /admin/operations');

const loadJobs = () => call('GET /admin/jobs');

/** Downloads the filtered log entries. A plain link could not send the authorization header. */
export const useLogExport = (filters: Record<string, string>) =>
  useMutation({
    mutationFn: async (format: 'csv' | 'jsonl') => {
      const query = new URLSearchParams({ ...filters, format });
      const response = await fetch(`/admin/logs/export?${query}`, { headers: authHeader() });
      if (!response.ok) throw new ApiError(response.status, errorText(await response.text()));
      const url = URL.createObjectURL(await response.blob());
      const link = document.createElement('a');
      link.href = url;
      link.download = `audit-log.${format}`;
      link.click();
      URL.revokeObjectURL(url);
    },
  });
