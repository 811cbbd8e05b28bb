import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef } from 'react';
import { SECOND } from '../../../server/contract/limits.ts';
import type { Page, WebhookAttemptWire } from '../../../server/contract/wire.ts';
import { useAuth } from '../../runtime/auth.ts';
import { listenToFiles } from '../../runtime/socket.ts';
import { LoadMore } from '../../ui/states.tsx';
import { bucketKey, getWebhookAttempts, replay, webhookAttemptsKey } from './settings-calls.ts';
import { WebhookAttemptTable } from './webhook-attempt-table.tsx';

const FIRST = '0';
/** Polling is frequent while an attempt is running or due soon, and slow otherwise. */
const FAST_INTERVAL_MS = 2 * SECOND;
const SLOW_INTERVAL_MS = 15 * SECOND;

/** The latest deliveries of a bucket's webhook. */
export function WebhookAttempts({
  bucketId,
  first,
}: {
  bucketId: string;
  first: Page<WebhookAttemptWire>;
}) {
  const client = useQueryClient();
  const deliveries = useWebhookAttempts(bucketId, first);
  const rows = deliveries.data.pages.flatMap((page) => page.data);
  const replayWebhookAttempt = useMutation({
    mutationFn: (id: string) => replay(bucketId, id),
    onSuccess: () => client.invalidateQueries({ queryKey: webhookAttemptsKey(bucketId) }),
  });
  // A response may have disabled or enabled the webhook.
  const lastState = `${rows[0]?.id} ${rows[0]?.state} ${rows[0]?.attempts}`;
  const previousState = useRef(lastState);
  useEffect(() => {
    if (lastState === previousState.current) return;
    previousState.current = lastState;
    void client.invalidateQueries({ queryKey: bucketKey(bucketId) });
  }, [client, bucketId, lastState]);

  return (
    <div>
      <h3 className="text-sm font-medium">Last deliveries</h3>
      <div className="mt-1.5">
        {rows.length === 0 ? (
          <p className="grid min-h-24 place-items-center rounded-md border border-dashed border-edge px-4 py-6 text-center text-quiet">
            No deliveries yet. They appear here when a file is ready, fails or is deleted.
          </p>
        ) : (
          <section
            aria-label="Last deliveries"
            className="max-h-96 overflow-y-auto rounded-md border border-base-300"
          >
            <WebhookAttemptTable
              rows={rows}
              replaying={replayWebhookAttempt.isPending ? replayWebhookAttempt.variables : null}
              onReplay={replayWebhookAttempt.mutate}
            />
            {deliveries.hasNextPage && (
              <LoadMore
                loading={deliveries.isFetchingNextPage}
                failed={deliveries.isFetchNextPageError}
                onNear={deliveries.fetchNextPage}
              />
            )}
          </section>
        )}
      </div>
    </div>
  );
}

/**
 * Loads the latest deliveries, newest first, and reloads them faster while an attempt is due.
 * @param first the first page of deliveries, which the document was rendered with
 */
const useWebhookAttempts = (bucketId: string, first: Page<WebhookAttemptWire>) =>
  useInfiniteQuery({
    queryKey: webhookAttemptsKey(bucketId),
    queryFn: ({ pageParam }) => getWebhookAttempts(bucketId, pageParam),
    initialPageParam: FIRST,
    initialData: { pages: [first], pageParams: [FIRST] },
    getNextPageParam: (page: Page<WebhookAttemptWire>) => page.nextId,
    refetchInterval: ({ state }) => {
      const waiting = (state.data?.pages ?? [])
        .flatMap((page) => page.data)
        .flatMap(({ next, attempts }) => (next ? [attempts === 0 ? 0 : Date.parse(next)] : []));
      if (waiting.length === 0) return SLOW_INTERVAL_MS;
      return Math.min(...waiting) - Date.now() < SLOW_INTERVAL_MS
        ? FAST_INTERVAL_MS
        : SLOW_INTERVAL_MS;
    },
  });

/** Reloads the deliveries when a file event of the bucket causes one, without waiting for the poll. */
/** The events that a webhook is told of, too. */
const WEBHOOK_EVENTS: ReadonlySet<string> = new Set([
  ...['file.success', 'file.error', 'file.moved', 'file.updated'],
  ...['file.replaced', 'file.deleted', 'file.restored'],
]);

export function useWebhookEvents(bucketId: string, hasWebhook: boolean) {
  const { userId } = useAuth();
  const client = useQueryClient();
  const look = useEffectEvent(() => {
    void client.invalidateQueries({ queryKey: webhookAttemptsKey(bucketId) });
  });
  useEffect(() => {
    if (!hasWebhook || !userId) return;
    return listenToFiles(userId, {
      onEvent: ({ type, bucket_id: of }) => {
        if (of !== bucketId) return;
        if (WEBHOOK_EVENTS.has(type)) look();
      },
      onOpen: () => look(),
    });
  }, [hasWebhook, userId, bucketId]);
}
