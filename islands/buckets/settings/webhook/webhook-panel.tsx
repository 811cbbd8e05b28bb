import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { BucketWire, WebhookAttemptWire } from '../../../../server/contract/wire.ts';
import { useIdempotency } from '../../../runtime/idempotency.ts';
import { notify } from '../../../runtime/notify.ts';
import { Time } from '../../../ui/date/time.tsx';
import { ConfirmDialog } from '../../../ui/dialog/dialog.tsx';
import { Button } from '../../../ui/form/button.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { Secret } from '../../../ui/secret.tsx';
import { Warning } from '../../../ui/warning.tsx';
import {
  getSecret,
  rotateSecret,
  secretKey,
  sendTest,
  webhookAttemptsKey,
} from '../settings-calls.ts';
import { WebhookUrl } from './webhook-url.tsx';

/** The webhook's URL and signing secret, and a button that sends a test. */
export function WebhookPanel({ bucket }: { bucket: BucketWire }) {
  const { id, webhook, webhook_disabled_at: disabledAt } = bucket;
  const client = useQueryClient();
  const { header, renew } = useIdempotency();
  const test = useMutation({
    mutationFn: () => sendTest(id, header()),
    onSuccess: (delivery) => {
      renew();
      if (delivery.state === 'failed') notify.error(failureOf(delivery));
      else notify.success('Test sent.');
      return client.invalidateQueries({ queryKey: webhookAttemptsKey(id) });
    },
  });

  return (
    <Panel
      title="Webhook"
      text="We send a POST to this URL when a file is ready, fails or is deleted, signed with the secret (Standard Webhooks)."
      action={
        <Button disabled={!webhook} pending={test.isPending} onClick={() => test.mutate()}>
          Send test
        </Button>
      }
    >
      <div className="flex flex-col gap-6">
        <WebhookUrl bucket={bucket} />
        <WebhookSecret bucketId={id} />
        {/* It comes and goes with the deliveries, and moves no button above. */}
        {disabledAt && (
          <Warning>
            The endpoint answered 410 Gone on <Time iso={disabledAt} withTime />, so the webhook is
            disabled. A successful test enables it again.
          </Warning>
        )}
      </div>
    </Panel>
  );
}

const failureOf = ({ status, response }: WebhookAttemptWire) =>
  `Test failed. ${status === null ? response : `The endpoint responded with ${status}.`}`;

/** The signing secret. It is loaded by a call, because the page's HTML must not contain it. */
function WebhookSecret({ bucketId }: { bucketId: string }) {
  const [asking, setAsking] = useState(false);
  const client = useQueryClient();
  const secret = useQuery({ queryKey: secretKey(bucketId), queryFn: () => getSecret(bucketId) });
  const rotate = useMutation({
    mutationFn: () => rotateSecret(bucketId),
    onSuccess: (next) => {
      client.setQueryData(secretKey(bucketId), next);
      setAsking(false);
      notify.success('Signing secret rotated.');
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
        text="A new secret replaces this one. For 24 hours, deliveries are signed with both secrets; after that, only with the new one."
        act="Rotate"
        isPending={rotate.isPending}
        onConfirm={() => rotate.mutate()}
        onClose={() => setAsking(false)}
      />
    </>
  );
}
