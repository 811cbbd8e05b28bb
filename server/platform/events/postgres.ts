import { SQL } from 'bun';
import { SECOND } from '../../contract/limits.ts';
import { isUnavailable } from '../../errors.ts';
import { toDatabaseError } from '../db/postgres-errors.ts';
import { createEchoes } from './echoes.ts';
import { createListeners } from './listeners.ts';
import { decodeMessage, encodeMessage } from './message.ts';
import type { Events } from './port.ts';

const CHANNEL = 'wharf_events';
const GAP = 'gap';
/** What is told has been committed: a connection that breaks just then costs a pause, not the word. */
const TRIES = 4;
const PAUSE = SECOND / 4;

/**
 * Events among all processes on one PostgreSQL database, by LISTEN and NOTIFY; all topics share
 * a channel. The publisher's own process hears of it at once, as in one process alone, so that what
 * was deleted or revoked there is so when the answer leaves. The connection comes back by itself; then `onGap` is called. Rejects when
 * the database can't be reached at first.
 * @param url `postgres://…`
 * @param onError what a listener threw, or a notification that is not ours
 */
export async function openPostgresEvents({
  url,
  onError,
}: {
  url: string;
  onError: (error: unknown) => void;
}): Promise<Events> {
  const topics = createListeners<unknown>(onError);
  const gaps = createListeners<void>(onError);
  // One connection, beside the one that listens: over several, messages could overtake each other.
  const sql = new SQL(url, { max: 1 });

  const echoes = createEchoes();

  function hear(text: string) {
    try {
      const { topic, payload } = decodeMessage(text);
      topics.call(topic, payload);
    } catch (error) {
      onError(error);
    }
  }

  const receive = (text: string) => {
    if (!echoes.isOwn(text)) hear(text);
  };

  let closed = false;
  let listening = false;
  function onListen() {
    echoes.clear();
    if (listening) gaps.call(GAP);
    listening = true;
  }

  let subscription: SQL.ListenSubscription;
  try {
    subscription = await sql.listen(CHANNEL, receive, onListen);
  } catch (error) {
    await sql.close({ timeout: 0 });
    throw error;
  }

  return {
    async publish(topic, payload) {
      const text = encodeMessage(topic, payload);
      echoes.expect(text);
      // Later, so that what a listener publishes comes after what it was called for.
      queueMicrotask(() => hear(text));
      for (let tries = 1; ; tries += 1) {
        try {
          return await toDatabaseError(sql.notify(CHANNEL, text));
        } catch (error) {
          if (closed || tries === TRIES || !isUnavailable(error)) {
            echoes.forget(text);
            throw error;
          }
          await Bun.sleep(tries * PAUSE);
        }
      }
    },
    subscribe: topics.add,
    onGap: (listener) => gaps.add(GAP, listener),
    async close() {
      closed = true;
      topics.clear();
      gaps.clear();
      await subscription.unlisten();
      await sql.close({ timeout: 1 });
    },
  };
}
