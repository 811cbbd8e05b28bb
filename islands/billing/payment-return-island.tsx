import { useMutation } from '@tanstack/react-query';
import { useEffect } from 'react';
import { MESSAGES } from '../../server/contract/messages.ts';
import { call } from '../runtime/api.ts';
import { Spinner } from '../ui/states.tsx';

/** The page that the card provider returns to. It updates the payment and opens the billing page. */
export default function PaymentReturnIsland({ paymentId }: { paymentId: string | null }) {
  const update = useMutation({
    mutationFn: () => call('GET /payments/stripe/update'),
    onSuccess: () => location.replace(paymentId ? `/billing?payment=${paymentId}` : '/billing'),
    // The page shows the error itself, so there is no toast.
    meta: { isQuiet: true },
  });
  const { mutate, isError } = update;
  useEffect(() => mutate(), [mutate]);

  return (
    <div className="card mx-auto mt-16 flex max-w-md flex-col items-center gap-4 px-6 py-12 text-center">
      <h1 className="text-xl font-semibold">Payment</h1>
      {isError ? (
        <>
          <p role="alert">{MESSAGES.unexpected}</p>
          <p className="text-balance text-quiet">
            If you paid, your balance is credited automatically once the provider confirms it.
          </p>
          <a href="/billing" className="btn btn-primary">
            Go to billing
          </a>
        </>
      ) : (
        <>
          <Spinner label="Checking your payment" />
          <p className="text-quiet">Checking your payment. This takes a moment.</p>
        </>
      )}
    </div>
  );
}
