import type { Events } from '../events/port.ts';

const TOPIC = 'jobs';
/** Subjects per message, which can hold 7999 bytes. */
const BATCH_SIZE = 100;

/** An empty list means that there are new jobs. */
type Message = { cancelled: string[] };

/**
 * What processes tell each other about jobs: that there are new ones, and which subjects are cancelled.
 * Messages can get lost. Then a poll finds the new jobs, and a heartbeat notices that a lease is gone.
 */
export class QueueNotifications {
  /** Ends the subscription. */
  readonly stop: () => void;

  constructor(
    private readonly events: Events,
    listener: { added(): void; cancelled(subjects: string[]): void },
  ) {
    this.stop = events.subscribe(TOPIC, (payload) => {
      const { cancelled } = payload as Message;
      if (cancelled.length > 0) listener.cancelled(cancelled);
      else listener.added();
    });
  }

  added(): void {
    this.publish({ cancelled: [] });
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
