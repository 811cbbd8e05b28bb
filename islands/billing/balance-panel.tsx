import { type UseMutationResult, useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { MESSAGES } from '../../server/contract/messages.ts';
import { formatAmount, parseTopUp } from '../../server/contract/money.ts';
import type { CostsWire } from '../../server/contract/wire.ts';
import { call } from '../runtime/api.ts';
import { type IdempotencyHeader, useIdempotency } from '../runtime/idempotency.ts';
import { dispatchBalance } from '../runtime/page-events.ts';
import { Button } from '../ui/form/button.tsx';
import { TextField } from '../ui/form/field.tsx';
import { useFormError } from '../ui/form/form-error.ts';
import { useSingleAction } from '../ui/form/single-action.ts';
import { Panel } from '../ui/panel.tsx';
import { useCosts } from './costs-panel.tsx';
import { daysLeft, LOW_BALANCE, nextThreshold } from './days-left.ts';
import { MonthCosts } from './month-costs.tsx';

const CREDIT_KEY = ['credit'];
/** The queries whose amounts add up, so they are loaded again together. */
export const AMOUNT_KEYS = [CREDIT_KEY, ['costs'], ['statements']];

/** The payment methods that this server offers. */
export type Methods = { card: boolean; crypto: boolean };

/** The balance, how long it lasts, and a warning about what happens when it is used up. */
export function BalancePanel({
  first,
  costs,
  methods,
}: {
  first: number | null;
  costs: CostsWire | null;
  methods: Methods;
}) {
  const { data, isError, isFetchedAfterMount } = useQuery({
    queryKey: CREDIT_KEY,
    queryFn: getCredit,
    // The balance of the rendered page is shown until a current one is loaded.
    ...(first !== null && { initialData: first, initialDataUpdatedAt: 0 }),
  });
  const credit = isError ? null : data;
  const { data: loadedCosts } = useCosts(costs);
  const left = typeof credit === 'number' ? daysLeft(credit, loadedCosts?.recent ?? null) : null;
  const isPaid = methods.card || methods.crypto;
  const next =
    typeof credit === 'number' && isPaid
      ? nextThreshold(credit, loadedCosts?.recent ?? null)
      : null;
  useEffect(() => {
    if (credit !== undefined && isFetchedAfterMount) dispatchBalance(credit);
  }, [credit, isFetchedAfterMount]);

  return (
    <Panel title="Balance" text="All usage up to now is deducted. It is charged once a day (UTC).">
      <p className="numbers text-4xl font-semibold tracking-tight" aria-live="polite">
        {credit === null ? (
          MESSAGES.noBalance
        ) : credit === undefined ? (
          '–'
        ) : (
          <Amount text={formatAmount(credit)} />
        )}
      </p>
      {(left || next) && (
        <div className="numbers mt-2 text-quiet">
          {left && <p>{left}</p>}
          {next && <p>{next}</p>}
        </div>
      )}
      {typeof credit === 'number' && credit < LOW_BALANCE && isPaid && (
        <p className="mt-4 max-w-prose border-l-2 border-warning pl-3">{warning(credit)}</p>
      )}
      {loadedCosts && <MonthCosts costs={loadedCosts} />}
    </Panel>
  );
}

/** An amount, with smaller digits for the fraction of a cent. */
function Amount({ text }: { text: string }) {
  const end = text.indexOf('.') + 3;
  return (
    <>
      {text.slice(0, end)}
      {end < text.length && (
        <span className="text-xl font-medium text-quiet">{text.slice(end)}</span>
      )}
    </>
  );
}

const warning = (credit: number) =>
  credit > 0
    ? 'Your balance is low. If it falls below zero, your buckets become unavailable.'
    : 'Your balance is used up. Below zero, uploads are refused, and delivery stops within 72 hours. Top up to reactivate your buckets within seconds.';

/** The amounts in USD that take one click. */
const AMOUNTS = ['10', '25', '50', '100'];

/** A form for a top-up, which is paid on the page of a payment provider. */
export function AddFounds({ methods }: { methods: Methods }) {
  const [typed, setTyped] = useState('');
  const amount = typed.trim();
  const card = useCheckout(payByCard);
  const crypto = useCheckout(payByCrypto);
  const isEmpty = amount === '';
  const [isCard, isCrypto] = [isInProgress(card), isInProgress(crypto)];

  const start = useSingleAction(isCard || isCrypto);
  const form = useFormError();
  const setAmount = (value: string) => {
    form.clear();
    setTyped(value);
  };
  const pay = (checkout: typeof card) => {
    const topUp = parseTopUp(amount);
    if ('problem' in topUp) form.report(topUp.problem);
    else if (start()) checkout.mutate(amount);
  };

  return (
    <Panel title="Add Founds" text="You pay on the provider’s page, then return here.">
      <form
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          pay(card);
        }}
      >
        <TextField
          label="Amount in USD"
          help="From $5 to $10,000."
          error={form.error}
          inputMode="decimal"
          autoComplete="off"
          placeholder="25"
          maxLength={13}
          className="numbers sm:max-w-60"
          value={typed}
          onValue={setAmount}
        />
        {(methods.card || methods.crypto) && <Amounts chosen={amount} onChoose={setAmount} />}
        <div className="flex flex-wrap gap-2">
          <Button
            type="submit"
            className="btn-primary"
            disabled={isEmpty || isCrypto || !methods.card}
            pending={isCard}
          >
            Pay with Card
          </Button>
          <Button
            disabled={isEmpty || isCard || !methods.crypto}
            pending={isCrypto}
            onClick={() => pay(crypto)}
          >
            Pay with Crypto
          </Button>
        </div>
        {whyOff(methods) && <p className="text-quiet">{whyOff(methods)}</p>}
      </form>
    </Panel>
  );
}

function Amounts({ chosen, onChoose }: { chosen: string; onChoose: (amount: string) => void }) {
  return (
    <fieldset className="-mt-2 flex flex-wrap gap-2">
      <legend className="sr-only">Amounts</legend>
      {AMOUNTS.map((one) => (
        <Button
          key={one}
          className="btn-sm numbers"
          aria-pressed={chosen === one}
          onClick={() => onChoose(one)}
        >
          ${one}
        </Button>
      ))}
    </fieldset>
  );
}

/** Opens the provider's page. Coming back with the back button resets the form. */
function useCheckout(begin: (amount: string, headers: IdempotencyHeader) => Promise<string>) {
  const { header, renew } = useIdempotency();
  const checkout = useMutation({
    mutationFn: (amount: string) => begin(amount, header(amount)),
    onSuccess: (url) => {
      renew();
      location.assign(url);
    },
  });
  const { reset } = checkout;
  useEffect(() => {
    const resetWhenRestored = ({ persisted }: PageTransitionEvent) => persisted && reset();
    window.addEventListener('pageshow', resetWhenRestored);
    return () => window.removeEventListener('pageshow', resetWhenRestored);
  }, [reset]);
  return checkout;
}

const getCredit = async () => (await call('GET /users/balance')).credit;

/** Both calls start a payment and return the URL of the provider's page. */
const payByCard = async (amount: string, headers: IdempotencyHeader) =>
  (await call('POST /payments/stripe/checkout/:amount', { params: { amount }, headers })).url;
const payByCrypto = async (amount: string, headers: IdempotencyHeader) =>
  (await call('POST /payments/crypto/checkout/:amount', { params: { amount }, headers })).result
    .url;

/** Returns whether a payment is being started, or the browser is opening the provider's page. */
const isInProgress = ({ isPending, isSuccess }: UseMutationResult<string, Error, string>) =>
  isPending || isSuccess;

function whyOff({ card, crypto }: Methods): string | null {
  if (card && crypto) return null;
  if (card) return 'Crypto payments aren’t enabled on this server.';
  if (crypto) return 'Card payments aren’t enabled on this server.';
  return 'Payments aren’t enabled on this server. Your buckets stay active; ask your admin for credit.';
}
