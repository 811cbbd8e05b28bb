import {
  keepPreviousData,
  useInfiniteQuery,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { SECOND } from '../../../../server/contract/limits.ts';
import type { BucketWire, Page, WebhookAttemptWire } from '../../../../server/contract/wire.ts';
import { useAuth } from '../../../runtime/auth.ts';
import { listenToFiles } from '../../../runtime/socket.ts';
import { Button } from '../../../ui/form/button.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { LoadMore, Spinner } from '../../../ui/states.tsx';
import { openBy, useOpenItem } from '../../../ui/use-opened.ts';
import {
  bucketKey,
  getWebhookAttempts,
  replay,
  type WebhookFilter,
  webhookAttemptsKey,
} from '../settings-calls.ts';
import { ReplayDialog } from './replay-dialog.tsx';
import { WebhookAttemptDrawer } from './webhook-attempt-drawer.tsx';
import { WebhookAttemptTable } from './webhook-attempt-table.tsx';
import { isFiltered, WebhookFilterBar } from './webhook-filter-bar.tsx';

const REPLAY_LABELS = {
  delivered: 'Replay delivered',
  waiting: 'Replay waiting',
  failed: 'Replay failed',
  undelivered: 'Replay undelivered',
};
const FIRST = '0';
/** Polling is frequent while an attempt is running or due soon, and slow otherwise. */
const FAST_INTERVAL_MS = 2 * SECOND;
const SLOW_INTERVAL_MS = 15 * SECOND;

/** The deliveries of a bucket's webhook, by filters, each with its details, and buttons to send them again. */
export function WebhookAttempts({
  bucket,
  first,
}: {
  bucket: BucketWire;
  first: Page<WebhookAttemptWire>;
}) {
  const { id: bucketId, webhook, webhook_disabled_at: disabledAt } = bucket;
  useWebhookEvents(bucketId, webhook !== '');
  const client = useQueryClient();
  const [filter, setFilter] = useState<WebhookFilter>({ range: null });
  const [isReplayingAll, setReplayingAll] = useState(false);
  const opened = useOpenItem('delivery');
  const deliveries = useWebhookAttempts(bucketId, filter, first);
  const rows = deliveries.data?.pages.flatMap((page) => page.data) ?? [];
  const replayOne = useMutation({
    mutationFn: (id: string) => replay(bucketId, id),
    onSuccess: () => client.invalidateQueries({ queryKey: webhookAttemptsKey(bucketId) }),
  });
  const replaying = replayOne.isPending ? replayOne.variables : null;
  useBucketRefresh(bucketId, rows[0]);

  return (
    <Panel
      title="Deliveries"
      text="Events of the last seven days. Open one to see what was sent and what came back."
      action={
        <Button
          disabled={rows.length === 0 || webhook === '' || disabledAt !== null}
          onClick={() => setReplayingAll(true)}
        >
          {REPLAY_LABELS[filter.state ?? 'undelivered']}
        </Button>
      }
    >
      <WebhookFilterBar filter={filter} onChange={setFilter} />
      {rows.length === 0 ? (
        <p className="grid min-h-24 place-items-center pt-5 text-center text-quiet">
          {deliveries.isPending ? (
            <Spinner label="Loading the deliveries" />
          ) : isFiltered(filter) ? (
            'No deliveries match these filters.'
          ) : (
            'No deliveries yet. They appear here when a file is ready, fails or is deleted.'
          )}
        </p>
      ) : (
        <section
          aria-label="Last deliveries"
          className={`flush max-h-[36rem] overflow-y-auto ${deliveries.isPlaceholderData ? 'opacity-60' : ''}`}
        >
          <WebhookAttemptTable
            rows={rows}
            replaying={replaying}
            onOpen={(id) => openBy('delivery', id)}
            onReplay={replayOne.mutate}
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
      <ReplayDialog
        bucketId={bucketId}
        filter={filter}
        open={isReplayingAll}
        onClose={() => setReplayingAll(false)}
      />
      <WebhookAttemptDrawer
        bucketId={bucketId}
        opened={opened}
        ids={rows.map(({ id }) => id)}
        replaying={replaying}
        onReplay={replayOne.mutate}
      />
    </Panel>
  );
}

/** Reloads the bucket after an attempt, whose response may have disabled or enabled the webhook. */
function useBucketRefresh(bucketId: string, newest: WebhookAttemptWire | undefined) {
  const client = useQueryClient();
  const state = `${newest?.id} ${newest?.state} ${newest?.attempts}`;
  const previous = useRef(state);
  useEffect(() => {
    if (state === previous.current) return;
    previous.current = state;
    void client.invalidateQueries({ queryKey: bucketKey(bucketId) });
  }, [client, bucketId, state]);
}

/**
 * Loads the latest deliveries, newest first, and reloads them faster while an attempt is due.
 * @param first the first page of all deliveries, which the document was rendered with
 */
const useWebhookAttempts = (
  bucketId: string,
  filter: WebhookFilter,
  first: Page<WebhookAttemptWire>,
) =>
  useInfiniteQuery({
    queryKey: [...webhookAttemptsKey(bucketId), filter],
    queryFn: ({ pageParam }) => getWebhookAttempts(bucketId, filter, pageParam),
    initialPageParam: FIRST,
    ...(!isFiltered(filter) && { initialData: { pages: [first], pageParams: [FIRST] } }),
    placeholderData: keepPreviousData,
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

/** The events that a webhook is told of, too. */
const WEBHOOK_EVENTS: ReadonlySet<string> = new Set([
  ...['file.success', 'file.error', 'file.moved', 'file.updated'],
  ...['file.replaced', 'file.deleted', 'file.restored'],
]);

/** Reloads the deliveries when a file event of the bucket causes one, without waiting for the poll. */
function useWebhookEvents(bucketId: string, hasWebhook: boolean) {
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
