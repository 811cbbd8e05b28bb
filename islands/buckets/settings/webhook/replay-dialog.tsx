import { useMutation, useQueryClient } from '@tanstack/react-query';
import { MAX_REPLAYED_EVENTS } from '../../../../server/contract/limits.ts';
import { notify } from '../../../runtime/notify.ts';
import { formatRange } from '../../../ui/date/day-range.ts';
import { ConfirmDialog } from '../../../ui/dialog/dialog.tsx';
import { replayAll, type WebhookFilter, webhookAttemptsKey } from '../settings-calls.ts';

/** Sends the events again that a filter shows, after a confirmation. */
export function ReplayDialog({
  bucketId,
  filter,
  open,
  onClose,
}: {
  bucketId: string;
  filter: WebhookFilter;
  open: boolean;
  onClose: () => void;
}) {
  const client = useQueryClient();
  const replay = useMutation({
    mutationFn: () => replayAll(bucketId, filter),
    onSuccess: ({ replayed, has_more }) => {
      onClose();
      notify.success(resultText(replayed, has_more));
      return client.invalidateQueries({ queryKey: webhookAttemptsKey(bucketId) });
    },
  });
  return (
    <ConfirmDialog
      open={open}
      title="Replay events"
      text={replayText(filter)}
      act="Replay"
      isHarmless
      isPending={replay.isPending}
      onConfirm={() => replay.mutate()}
      onClose={onClose}
    />
  );
}

const WHICH = {
  delivered: 'that were delivered',
  waiting: 'that wait for a retry',
  failed: 'that failed',
  undelivered: 'that failed or wait for a retry',
};

function replayText({ type, state, range }: WebhookFilter): string {
  const days = range ? ` of ${formatRange(range)}` : '';
  return `All ${type ?? ''} events${days} ${WHICH[state ?? 'undelivered']} are sent again with the same webhook-id, the oldest first, up to ${MAX_REPLAYED_EVENTS.toLocaleString('en')} at a time. Tests are left out.`.replace(
    '  ',
    ' ',
  );
}

function resultText(count: number, hasMore: boolean): string {
  if (count === 0) return 'There are no events to send again.';
  const text = count === 1 ? '1 event is' : `${count.toLocaleString('en')} events are`;
  return `${text} being sent again.${hasMore ? ' Replay once more for the others.' : ''}`;
}
