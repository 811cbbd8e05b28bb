import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import { useAuth } from '../../runtime/auth.ts';
import { openSocket } from '../../runtime/socket.ts';
import { deliveriesKey } from './settings-calls.ts';

/** Looks at a webhook's deliveries as soon as a file of its bucket makes one, not by the clock alone. */
export function useDeliveryEvents(bucketId: string, hasWebhook: boolean) {
  const { userId } = useAuth();
  const client = useQueryClient();
  const look = useEffectEvent(() => {
    void client.invalidateQueries({ queryKey: deliveriesKey(bucketId) });
  });
  useEffect(() => {
    if (!hasWebhook || !userId) return;
    return openSocket(userId, {
      onEvent: ({ type, bucketId: of }) => {
        if (of !== bucketId) return;
        if (type === 'file.success' || type === 'file.error' || type === 'file.deleted') look();
      },
      onOpen: () => look(),
    });
  }, [hasWebhook, userId, bucketId]);
}
