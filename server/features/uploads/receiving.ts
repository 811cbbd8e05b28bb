import { SECOND } from '../../contract/limits.ts';
import { AppError, isUnavailable } from '../../errors.ts';
import type { Caller } from '../tokens/guard.ts';

/**
 * A request of hours must end soon after its key was replaced, its account banned or its bucket deleted, and
 * lasts however slowly its bytes arrive.
 */
const CHECK_INTERVAL_MS = 4 * SECOND;

export type Receiving = {
  /**
   * Aborts, with the error to respond with, once the caller has lost the right to send bytes, or the server
   * stops.
   */
  ended: AbortSignal;
  /** To be called as bytes arrive. Only a client that is silent is disconnected. */
  onBytes: () => void;
};

/**
 * Does work that receives bytes for as long as a client sends them.
 * @param options.stopping aborts when the server stops, where what has arrived until then is of use
 */
export async function whileReceiving<Result>(
  { recheck, keepConnected }: Pick<Caller, 'recheck' | 'keepConnected'>,
  work: (receiving: Receiving) => Promise<Result>,
  {
    stopping,
    intervalMs = CHECK_INTERVAL_MS,
  }: { stopping?: AbortSignal; intervalMs?: number } = {},
): Promise<Result> {
  stopping?.throwIfAborted();
  const ending = new AbortController();
  const stop = () => ending.abort(stopping?.reason);
  let hasNews = false;
  const onBytes = () => {
    hasNews = true;
  };
  const check = () => {
    if (hasNews) keepConnected();
    hasNews = false;
    recheck().catch((error) => {
      // An outage says nothing about the caller.
      if (error instanceof AppError && !isUnavailable(error)) ending.abort(error);
    });
  };
  const timer = setInterval(check, intervalMs);
  stopping?.addEventListener('abort', stop);
  try {
    return await work({ ended: ending.signal, onBytes });
  } finally {
    clearInterval(timer);
    stopping?.removeEventListener('abort', stop);
  }
}

/** Does work of which a client hears nothing, however long it takes, without losing its connection. */
export async function whileKeptConnected<Result>(
  { keepConnected }: Pick<Caller, 'keepConnected'>,
  work: () => Promise<Result>,
): Promise<Result> {
  const timer = setInterval(keepConnected, CHECK_INTERVAL_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
