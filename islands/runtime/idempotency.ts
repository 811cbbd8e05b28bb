import { useRef } from 'react';

export type IdempotencyHeader = { 'idempotency-key': string };

/**
 * Returns the header that identifies an action, which the server then carries out once. Trying again
 * after a failure is the same action; after `renew`, which is for a success, and with another `input`
 * it is a new one.
 */
export function useIdempotency() {
  const action = useRef<{ input: string; key: string } | null>(null);
  return {
    header: (input = ''): IdempotencyHeader => ({ 'idempotency-key': identify(action, input) }),
    /** Returns the id itself, for a call that takes it in its body. */
    key: (input: string) => identify(action, input),
    renew: () => {
      action.current = null;
    },
  };
}

function identify(action: { current: { input: string; key: string } | null }, input: string) {
  if (action.current?.input !== input) action.current = { input, key: crypto.randomUUID() };
  return action.current.key;
}
