import { SECOND } from '../../../contract/limits.ts';
import { unavailable } from '../../../errors.ts';

type SharedWork<Value> = { result: Promise<Value>; waiting: number; abort: AbortController };

/**
 * Runs work once for all concurrent callers with the same id. A caller whose signal aborts stops
 * waiting; when all have, the work's signal is aborted.
 */
export class SingleFlight<Value> {
  private readonly running = new Map<string, SharedWork<Value>>();

  /**
   * Joins the work of an id, or begins it. Throws what `begin` throws, and unavailable where the
   * signal aborts.
   */
  async join(
    id: string,
    signal: AbortSignal,
    begin: (signal: AbortSignal) => Promise<Value>,
  ): Promise<Value> {
    if (signal.aborted) throw abandoned();
    const shared = this.findOrStart(id, begin);
    shared.waiting += 1;
    const { promise: abandonment, reject } = Promise.withResolvers<never>();
    const leave = () => reject(abandoned());
    signal.addEventListener('abort', leave);
    try {
      return await Promise.race([shared.result, abandonment]);
    } finally {
      signal.removeEventListener('abort', leave);
      shared.waiting -= 1;
      if (shared.waiting === 0) {
        // The next caller starts new work instead of joining work that is being aborted.
        this.forget(id, shared);
        shared.abort.abort(abandoned());
      }
    }
  }

  private findOrStart(
    id: string,
    begin: (signal: AbortSignal) => Promise<Value>,
  ): SharedWork<Value> {
    const running = this.running.get(id);
    if (running) return running;
    const abort = new AbortController();
    const shared: SharedWork<Value> = { result: begin(abort.signal), waiting: 0, abort };
    this.running.set(id, shared);
    const forget = () => this.forget(id, shared);
    shared.result.then(forget, forget);
    return shared;
  }

  private forget(id: string, shared: SharedWork<Value>): void {
    if (this.running.get(id) === shared) this.running.delete(id);
  }
}

const abandoned = () => unavailable('The request was given up.', SECOND);
