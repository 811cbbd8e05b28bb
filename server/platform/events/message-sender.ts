import { MAX_BYTES } from './listeners.ts';
import type { EventOutboxRow } from './tables.ts';

/** How long messages of the outbox are collected after others were sent. */
const COLLECT_MS = 50;

/** A message, and the id of its row in the outbox; null where it has none. */
export type Message = { text: string; id: string | null };

/**
 * Sends messages in the order in which it gets them, many in one notification, of which each wakes all processes. Those
 * of the outbox wait for others; one that a caller waits for goes as soon as the notification before it has gone.
 */
export class MessageSender {
  private readonly waiting: (Message & PromiseWithResolvers<void>)[] = [];
  private isSending = false;
  private endCollecting = () => {};

  /** @param notify sends messages in one notification, and deletes their rows of the outbox with it */
  constructor(private readonly notify: (messages: Message[]) => Promise<void>) {}

  /** Sends a message that is in no outbox. Rejects where that fails. */
  send(text: string): Promise<void> {
    const sent = this.add({ text, id: null });
    this.endCollecting();
    return sent;
  }

  /** Sends a message of the outbox within the next moment. Where that fails, it stays there. */
  sendSoon(message: EventOutboxRow): void {
    this.add(message).catch(() => {});
  }

  /** Sends what is waiting. */
  async close(): Promise<void> {
    this.endCollecting();
    await Promise.allSettled(this.waiting.map(({ promise }) => promise));
  }

  private add(message: Message): Promise<void> {
    const entry = { ...message, ...Promise.withResolvers<void>() };
    this.waiting.push(entry);
    if (!this.isSending) void this.sendWaiting();
    return entry.promise;
  }

  private async sendWaiting(): Promise<void> {
    this.isSending = true;
    do {
      const taken = this.waiting.splice(0, countFitting(this.waiting));
      const sent = this.notify(taken);
      await sent.catch(() => {});
      for (const { resolve } of taken) resolve(sent);
      if (this.canWait()) await this.collect();
    } while (this.waiting.length > 0);
    this.isSending = false;
  }

  private canWait(): boolean {
    const { waiting } = this;
    return waiting.every(({ id }) => id !== null) && countFitting(waiting) === waiting.length;
  }

  private async collect(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, COLLECT_MS);
    this.endCollecting = resolve;
    await promise;
    clearTimeout(timer);
  }
}

/** Returns how many of the first messages fit into one notification. */
function countFitting(messages: Message[]): number {
  let bytes = -SEPARATOR.length;
  const end = messages.findIndex(({ text }) => {
    bytes += SEPARATOR.length + Buffer.byteLength(text);
    return bytes > MAX_BYTES;
  });
  return end < 0 ? messages.length : end;
}

/** JSON without indentation has no line breaks, as texts have them escaped. */
export const SEPARATOR = '\n';
