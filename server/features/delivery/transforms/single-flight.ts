import { SECOND } from '../../../contract/limits.ts';
import { unavailable } from '../../../errors.ts';

type Flight<Value> = { work: Promise<Value>; waiting: number; abort: AbortController };

/**
 * Work that several callers wait for and that is done once, at most `max` of it at a time. A caller
 * whose signal aborts stops waiting; when all have, the work's signal is aborted.
 */
export class SingleFlight<Value> {
  private readonly flights = new Map<string, Flight<Value>>();

  constructor(private readonly max: number) {}

  /** How much work is running or waits to run. */
  get size(): number {
    return this.flights.size;
  }

  /** Throws what `begin` throws, unavailable when there is too much to do, or after an abort. */
  async join(
    id: string,
    signal: AbortSignal,
    begin: (signal: AbortSignal) => Promise<Value>,
  ): Promise<Value> {
    if (signal.aborted) throw abandoned();
    const flight = this.findOrStart(id, begin);
    flight.waiting += 1;
    const { promise: left, reject } = Promise.withResolvers<never>();
    const leave = () => reject(abandoned());
    signal.addEventListener('abort', leave);
    try {
      return await Promise.race([flight.work, left]);
    } finally {
      signal.removeEventListener('abort', leave);
      flight.waiting -= 1;
      if (flight.waiting === 0) {
        // The next caller starts new work instead of joining work that is being aborted.
        this.forget(id, flight);
        flight.abort.abort(abandoned());
      }
    }
  }

  private findOrStart(id: string, begin: (signal: AbortSignal) => Promise<Value>): Flight<Value> {
    const running = this.flights.get(id);
    if (running) return running;
    if (this.flights.size >= this.max) {
      throw unavailable('Too many images are being generated. Try again in a moment.', 2 * SECOND);
    }
    const abort = new AbortController();
    const flight: Flight<Value> = { work: begin(abort.signal), waiting: 0, abort };
    this.flights.set(id, flight);
    const land = () => this.forget(id, flight);
    flight.work.then(land, land);
    return flight;
  }

  private forget(id: string, flight: Flight<Value>): void {
    if (this.flights.get(id) === flight) this.flights.delete(id);
  }
}

const abandoned = () => unavailable('The request was given up.', SECOND);
