import { useState } from 'react';
import { floorToCents, formatBalance, REFUND_REASON_MAX } from '../../../server/contract/money.ts';
import type { AdminPaymentWire } from '../../../server/contract/wire.ts';
import { useIdempotency } from '../../runtime/idempotency.ts';
import { Dialog, DialogButtons } from '../../ui/dialog/dialog.tsx';
import { Button } from '../../ui/form/button.tsx';
import { TextField } from '../../ui/form/field.tsx';
import { useFormError } from '../../ui/form/form-error.ts';
import { useRefund } from '../admin-calls.ts';
import { PROVIDERS } from '../owed-panel.tsx';

/** Refunds a payment or a part of it. The dialog is closed while `payment` is null. */
export function RefundDialog({
  payment,
  onClose,
}: {
  payment: AdminPaymentWire | null;
  onClose: () => void;
}) {
  const [isPending, setPending] = useState(false);
  return (
    <Dialog
      open={payment !== null}
      locked={isPending}
      title="Refund payment"
      text="The refund is deducted from the user’s balance and recorded in the ledger and the audit log."
      onClose={onClose}
    >
      {payment && (
        <RefundForm key={payment.id} payment={payment} onPending={setPending} onClose={onClose} />
      )}
    </Dialog>
  );
}

function RefundForm({
  payment,
  onPending,
  onClose,
}: {
  payment: AdminPaymentWire;
  onPending: (isPending: boolean) => void;
  onClose: () => void;
}) {
  const { id, method, credited, refunded } = payment;
  const most = floorToCents(credited - refunded);
  const [text, setText] = useState(most.toFixed(2));
  const [reason, setReason] = useState('');
  const [isOther, setOther] = useState(!canAskProvider(method));
  const { key, renew } = useIdempotency();
  const refund = useRefund(id);
  const { error, report, clear } = useFormError(refund);

  const submit = () => {
    const usd = Number(text);
    if (!/^\d+(\.\d{1,2})?$/.test(text) || usd <= 0 || usd > most) {
      return report(`Enter an amount from $0.01 to ${formatBalance(most)}.`);
    }
    const form = { usd, reason: reason.trim(), by: isOther ? 'other' : 'provider' } as const;
    onPending(true);
    refund.mutate(
      { ...form, id: key(JSON.stringify(form)) },
      {
        onSuccess: () => {
          renew();
          onClose();
        },
        onSettled: () => onPending(false),
      },
    );
  };

  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <TextField
        label="Amount, USD"
        help={`Up to ${formatBalance(most)}, and no more than the unused paid credit.`}
        error={error}
        inputMode="decimal"
        autoComplete="off"
        value={text}
        onValue={(value) => {
          clear();
          setText(value.trim());
        }}
      />
      <TextField
        label="Reason"
        help="Only admins see the reason."
        autoComplete="off"
        maxLength={REFUND_REASON_MAX}
        value={reason}
        onValue={(value) => {
          clear();
          setReason(value);
        }}
      />
      <OtherWay
        method={method}
        isOther={isOther}
        onChange={(value) => {
          clear();
          setOther(value);
        }}
      />
      <DialogButtons>
        <Button className="btn-ghost" disabled={refund.isPending} onClick={onClose}>
          Cancel
        </Button>
        <Button
          type="submit"
          className="btn-error"
          disabled={reason.trim() === ''}
          pending={refund.isPending}
        >
          {isOther ? 'Record refund' : 'Refund'}
        </Button>
      </DialogButtons>
    </form>
  );
}

/** Crypto payments can't be refunded through the provider's API. */
const canAskProvider = (method: AdminPaymentWire['method']) => method === 'card';

function OtherWay({
  method,
  isOther,
  onChange,
}: {
  method: AdminPaymentWire['method'];
  isOther: boolean;
  onChange: (isOther: boolean) => void;
}) {
  const provider = PROVIDERS[method];
  return (
    <label className="flex items-start gap-3">
      <input
        type="checkbox"
        className="checkbox checkbox-sm mt-0.5 checkbox-primary"
        checked={isOther}
        disabled={!canAskProvider(method)}
        onChange={({ target }) => onChange(target.checked)}
      />
      <span>
        Already refunded another way
        <span className="block text-xs text-quiet">
          {canAskProvider(method)
            ? `Only records the refund. Otherwise ${provider} refunds it to the card.`
            : `${provider} payments are refunded at ${provider}. Record the refund here.`}
        </span>
      </span>
    </label>
  );
}
