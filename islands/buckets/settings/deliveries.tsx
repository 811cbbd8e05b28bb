import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { DeliveryWire, Page } from '../../../server/contract/wire.ts';
import { LoadMore } from '../../ui/table/load-more.tsx';
import { DeliveryTable } from './delivery-table.tsx';
import { bucketKey, deliveriesKey, replay } from './settings-calls.ts';
import { useDeliveries } from './use-deliveries.ts';

/** The last deliveries of a bucket's webhook. */
export function Deliveries({ bucketId, first }: { bucketId: string; first: Page<DeliveryWire> }) {
  const client = useQueryClient();
  const deliveries = useDeliveries(bucketId, first);
  const rows = deliveries.data.pages.flatMap((page) => page.data);
  const again = useMutation({
    mutationFn: (id: string) => replay(bucketId, id),
    onSuccess: () => client.invalidateQueries({ queryKey: deliveriesKey(bucketId) }),
  });
  // An answer may have turned the webhook off or on.
  const lastAnswer = `${rows[0]?.id} ${rows[0]?.state} ${rows[0]?.attempts}`;
  const known = useRef(lastAnswer);
  useEffect(() => {
    if (lastAnswer === known.current) return;
    known.current = lastAnswer;
    void client.invalidateQueries({ queryKey: bucketKey(bucketId) });
  }, [client, bucketId, lastAnswer]);

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
            <DeliveryTable
              rows={rows}
              replaying={again.isPending ? again.variables : null}
              onReplay={again.mutate}
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
