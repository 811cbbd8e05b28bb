import { SECOND } from '../../contract/limits.ts';
import type { TcpConnection } from '../../platform/tcp/connection.ts';
import type { CountSentBytes } from './byte-counter.ts';

/** The first look is early, so that a short download is counted soon. Each wait is twice the last. */
const FIRST_INTERVAL_MS = 20;
const MAX_INTERVAL_MS = SECOND;
/**
 * After so many looks at which nothing waits in the connection and nothing has left, the body is no longer
 * sent: the object was deleted before Bun opened it.
 */
const MAX_IDLE_LOOKS = 10;

type Metered = Pick<TcpConnection, 'info' | 'isServed' | 'close'>;

/**
 * Counts the bytes of a body by what the client's system has confirmed, as Bun reports neither the progress
 * nor the end of a response that it sends from a file. It takes over the connection, and closes it at the
 * end. `signal` is the request's, which Bun aborts when a client leaves before the end.
 */
export function meterBody(
  connection: Metered,
  size: number,
  countSent: CountSentBytes,
  signal: AbortSignal,
): void {
  const start = connection.info().written;
  let counted = 0;
  let idleLooks = 0;
  let interval = FIRST_INTERVAL_MS;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const countTo = (sent: number) => {
    const added = Math.min(size, sent) - counted;
    if (added <= 0) return false;
    counted += added;
    countSent(added);
    return true;
  };
  const finish = () => {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
    connection.close();
  };
  const abort = () => {
    countTo(connection.info().acknowledged - start);
    finish();
  };
  const look = () => {
    const { acknowledged, written, isClosed } = connection.info();
    const hasProgress = countTo(acknowledged - start);
    if (counted === size || isClosed) return finish();
    if (!hasProgress && !connection.isServed()) {
      // Bun has written all of it and closed the connection, which happens without an abort.
      countTo(size);
      return finish();
    }
    idleLooks = hasProgress || written > acknowledged ? 0 : idleLooks + 1;
    if (idleLooks > MAX_IDLE_LOOKS) return finish();
    interval = Math.min(MAX_INTERVAL_MS, 2 * interval);
    schedule();
  };
  const schedule = () => {
    timer = setTimeout(look, interval);
    timer.unref();
  };
  signal.addEventListener('abort', abort);
  schedule();
}
