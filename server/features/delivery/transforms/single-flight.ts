import { SECOND } from '../../../contract/limits.ts';
import { unavailable } from '../../../errors.ts';

type Flight<Value> = { work: Promise<Value>; waiting: number; abort: AbortController };

/**
 * Work that several wait for and that is done once, at most so much of it at a time. Who goes away
 * stops waiting; when all have, the work's signal is aborted.
 */
export function createSingleFlight<Value>(most: number) {
  const flights = new Map<string, Flight<Value>>();

  function take(id: string, begin: (signal: AbortSignal) => Promise<Value>): Flight<Value> {
    const running = flights.get(id);
    if (running) return running;
    if (flights.size >= most) {
      throw unavailable('Too many images are being made. Try again soon.', 2 * SECOND);
    }
    const abort = new AbortController();
    const flight: Flight<Value> = { work: begin(abort.signal), waiting: 0, abort };
    flights.set(id, flight);
    const land = () => forget(id, flight);
    flight.work.then(land, land);
    return flight;
  }

  function forget(id: string, flight: Flight<Value>): void {
    if (flights.get(id) === flight) flights.delete(id);
  }

  return {
    /** How much is being done or waits to be. */
    size: () => flights.size,

    /** Throws what `begin` throws, unavailable when there is too much to do, or after an abort. */
    async join(
      id: string,
      signal: AbortSignal,
      begin: (signal: AbortSignal) => Promise<Value>,
    ): Promise<Value> {
      if (signal.aborted) throw gone();
      const flight = take(id, begin);
      flight.waiting += 1;
      const { promise: left, reject } = Promise.withResolvers<never>();
      const leave = () => reject(gone());
      signal.addEventListener('abort', leave);
      try {
        return await Promise.race([flight.work, left]);
      } finally {
        signal.removeEventListener('abort', leave);
        flight.waiting -= 1;
        if (flight.waiting === 0) {
          // Whoever comes now begins anew instead of joining what is being ended.
          forget(id, flight);
          flight.abort.abort(gone());
        }
      }
    },
  };
}

const gone = () => unavailable('The request was given up.', SECOND);
