import type { Events } from '../events/port.ts';

const TOPIC = 'jobs';
/** Subjects per message, which can hold 7999 bytes. */
const BATCH_SIZE = 100;

type Message = { added: string[] } | { cancelled: string[] };

/**
 * What processes tell each other about jobs: of which kinds there are new ones, and which subjects are
 * cancelled. Messages can get lost. Then a poll finds the new jobs, and a heartbeat notices that a lease is
 * gone.
 */
export class QueueNotifications {
  /** Ends the subscription. */
  readonly stop: () => void;

  constructor(
    private readonly events: Events,
    listener: { added(kinds: string[]): void; cancelled(subjects: string[]): void },
  ) {
    this.stop = events.subscribe(TOPIC, (payload) => {
      const message = payload as Message;
      if ('added' in message) listener.added(message.added);
      else listener.cancelled(message.cancelled);
    });
  }

  added(kinds: string[]): void {
    if (kinds.length > 0) this.publish({ added: kinds });
  }

  cancelled(subjects: string[]): void {
    for (let at = 0; at < subjects.length; at += BATCH_SIZE) {
      this.publish({ cancelled: subjects.slice(at, at + BATCH_SIZE) });
    }
  }

  private publish(message: Message): void {
    void this.events.publish(TOPIC, message).catch(() => {});
  }
}
