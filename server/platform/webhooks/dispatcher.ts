import { MINUTE, SECOND } from '../../contract/limits.ts';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/port.ts';
import type { WebhookDeliveryRow } from '../db/tables.ts';
import { newId } from '../ids.ts';
import type { Keys } from '../secrets/keys.ts';
import { createDeliverySlots } from './concurrency.ts';
import * as outbox from './outbox.ts';
import { type Target, unsealTarget } from './resolve-target.ts';
import { delayAfter } from './schedule.ts';
import type { Outcome, Send } from './send.ts';

const POLL = SECOND;
/** Longer than an attempt can take. */
export const LEASE_MS = MINUTE;
const GONE = 410;

export type WebhookDispatcher = ReturnType<typeof createWebhookDispatcher>;

/**
 * Delivers what is in the outbox, at least once each: the same `webhook-id` tells repeats apart.
 * Several processes may deliver from one database.
 */
export function createWebhookDispatcher(options: {
  database: Database;
  keys: Keys;
  clock: Clock;
  send: Send;
  /** Where a delivery goes now: 'off' where the webhook is, 'gone' where the bucket is. */
  targetOf: (delivery: WebhookDeliveryRow) => Promise<Target | 'off' | 'gone'>;
  /** Told of every attempt, before it is written down. */
  onOutcome: (delivery: WebhookDeliveryRow, url: string, outcome: Outcome) => Promise<void>;
  onError: (error: unknown) => void;
  random?: () => number;
}) {
  const { database, keys, clock, send, targetOf, onError, random = Math.random } = options;
  const { db } = database;
  const slots = createDeliverySlots();
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();
  let timer: ReturnType<typeof setInterval> | null = null;
  let filling: Promise<void> | null = null;

  const deliver = async (row: WebhookDeliveryRow): Promise<boolean | null> => {
    const now = await targetOf(row);
    if (now === 'off') {
      await settle(row, { status: null, text: 'The webhook is off.', retryAfter: null }, false);
      return null;
    }
    const target = now === 'gone' ? unsealTarget(keys, row.target_sealed, row.id) : now;
    const outcome = await send(target, row, stopping.signal);
    // Before it can be seen that the attempt is over, what it means for the webhook holds.
    await options.onOutcome(row, target.url, outcome);
    await settle(row, outcome, outcome.status !== GONE);
    return isTaken(outcome);
  };

  const settle = async (row: WebhookDeliveryRow, outcome: Outcome, mayRetry: boolean) => {
    const now = clock();
    const taken = isTaken(outcome);
    const delay = taken || !mayRetry ? null : delayAfter(row.step, outcome.retryAfter, random);
    await outbox.settleDelivery(db, row, {
      state: taken ? 'delivered' : delay === null ? 'failed' : 'waiting',
      step: row.step + 1,
      due_at: now + (delay ?? 0),
      answer_status: outcome.status,
      answer_text: outcome.text,
      finished_at: delay === null ? now : null,
    });
  };

  const giveUp = { status: null, text: 'It could not be sent.', retryAfter: null };

  /** `isAwaited`: whoever asked for it waits, so that it is not put off where the attempt breaks. */
  const begin = (row: WebhookDeliveryRow, isAwaited = false) => {
    slots.take(row.bucket_id);
    let taken: boolean | null = null;
    const work = deliver(row)
      .then((answer) => {
        taken = answer;
      })
      .catch(async (error) => {
        if (!stopping.signal.aborted) onError(error);
        if (isAwaited && !stopping.signal.aborted) return settle(row, giveUp, false);
        await outbox.releaseDelivery(db, row, clock() + (stopping.signal.aborted ? 0 : LEASE_MS));
      })
      .catch(onError)
      .finally(() => {
        slots.free(row.bucket_id, taken);
        running.delete(work);
        void fill();
      });
    running.add(work);
    return work;
  };

  const fillSlots = async () => {
    while (!stopping.signal.aborted && slots.hasRoom()) {
      const now = clock();
      const row = await outbox.claimDelivery(database, {
        token: newId(now),
        now,
        until: now + LEASE_MS,
        except: slots.crowded(),
      });
      if (!row) return;
      begin(row);
    }
  };

  const fill = (): Promise<void> => {
    filling ??= fillSlots()
      .catch(onError)
      .finally(() => {
        filling = null;
      });
    return filling;
  };

  return {
    /** Delivers all that is due, and waits for its answers. */
    async round(): Promise<void> {
      do {
        await fill();
        await Promise.all(running);
      } while (running.size > 0 || filling);
    },

    /**
     * Makes an attempt that somebody waits for, of a delivery that is claimed already. What came of
     * it stands in the outbox; where there is no room for it, it waits there for its turn.
     */
    attempt(row: WebhookDeliveryRow): Promise<void> {
      const hasRoom = slots.hasRoom() && !slots.crowded().includes(row.bucket_id);
      return hasRoom ? begin(row, true) : outbox.releaseDelivery(db, row, clock());
    },

    /** `alone`: no other process works on this database. */
    async start({ alone }: { alone: boolean }) {
      if (alone) await outbox.releaseAllDeliveries(db, clock());
      timer = setInterval(() => void fill(), POLL);
      void fill();
    },

    /** Breaks attempts off and gives them back: the next process makes them again. */
    async stop() {
      if (timer) clearInterval(timer);
      stopping.abort(new Error('the server is stopping'));
      await filling;
      await Promise.all(running);
    },
  };
}

const isTaken = ({ status }: Outcome) => status !== null && status >= 200 && status < 300;
