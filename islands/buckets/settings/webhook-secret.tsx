import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { notify } from '../../runtime/notify.ts';
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx';
import { Button } from '../../ui/form/button.tsx';
import { Secret } from '../../ui/secret.tsx';
import { getSecret, rollSecret, secretKey } from './settings-calls.ts';

/** The secret that signs deliveries. It is asked for by the session, and never part of the page. */
export function WebhookSecret({ bucketId }: { bucketId: string }) {
  const [asking, setAsking] = useState(false);
  const client = useQueryClient();
  const secret = useQuery({ queryKey: secretKey(bucketId), queryFn: () => getSecret(bucketId) });
  const roll = useMutation({
    mutationFn: () => rollSecret(bucketId),
    onSuccess: (next) => {
      client.setQueryData(secretKey(bucketId), next);
      setAsking(false);
      notify.success('The secret is new.');
    },
  });

  return (
    <>
      <Secret label="Signing secret" prefix="whsec_" value={secret.data ?? null}>
        <Button onClick={() => setAsking(true)}>Rotate secret</Button>
      </Secret>
      {secret.isError && (
        <p role="alert" className="text-error">
          The secret could not be loaded.{' '}
          <button
            type="button"
            className="cursor-pointer rounded underline"
            onClick={() => void secret.refetch()}
          >
            Try again
          </button>
        </p>
      )}
      <ConfirmDialog
        open={asking}
        title="Rotate secret"
        text="A new secret takes the place of this one. For 24 hours deliveries carry the signatures of both; then those of the old one are gone."
        act="Roll"
        isPending={roll.isPending}
        onConfirm={() => roll.mutate()}
        onClose={() => setAsking(false)}
      />
    </>
  );
}
