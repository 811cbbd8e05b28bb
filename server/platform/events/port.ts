import type { Tx } from '../db/port.ts';

/**
 * Tells every web process that something has changed. Delivery is at most once, so receivers must refetch
 * when in doubt.
 */
export type Events = {
  publish(topic: string, payload: unknown): Promise<void>;
  /**
   * Publishes with the commit of a transaction, so that others hear of what it has done even where this process
   * dies, or does not learn whether it was committed. The listeners of this process hear it after the commit, before
   * `Database.transaction` resolves.
   */
  publishIn(tx: Tx, topic: string, payload: unknown): Promise<void>;
  /** Returns the function that ends the subscription. */
  subscribe(topic: string, listener: (payload: unknown) => void): () => void;
  /** Calls `listener` whenever messages may have been missed, so that caches can be dropped. */
  onGap(listener: () => void): () => void;
  close(): Promise<void>;
};
