/*
 * While a transaction is open nothing else is written, so it must not wait for anything but its statements:
 * no hashing, rendering, network or timer. Tests check that; in the server it would cost each statement two
 * turns of the event loop.
 */

import type { WatchedTransaction } from '../../../server/platform/db/sqlite/instrumentation.ts';

let isChecked = true;

/** Turns of the event loop after which a transaction must have gone on. */
const TURNS = 2;

/**
 * Returns a function to call whenever a transaction gets control. Where that does not lead to its next
 * statement or its end without waiting for an event, `fail` is called with an error that says where the
 * transaction was started.
 */
export function watchTransactionAwaits({
  statements,
  isIdle,
  fail,
}: WatchedTransaction): () => void {
  if (!isChecked) return () => {};
  const error = new Error('A transaction awaits something other than its own statements.');
  return () => {
    if (!isIdle()) return;
    const { count, last } = statements();
    afterTurns(TURNS, () => {
      if (!isIdle() || statements().count !== count) return;
      error.message = `${error.message} It did so after statement ${count}: ${last}`;
      fail(error);
    });
  };
}

function afterTurns(turns: number, then: () => void): void {
  setImmediate(() => (turns > 1 ? afterTurns(turns - 1, then) : then()));
}

/** Runs a test's own `work`, whose transactions wait on purpose for what others do meanwhile. */
export async function allowTransactionAwaits<Result>(work: () => Promise<Result>): Promise<Result> {
  isChecked = false;
  try {
    return await work();
  } finally {
    isChecked = true;
  }
}
