import type { Events } from '../events/port.ts';

const TOPIC = 'jobs';
/** Ids of one message, which may hold 7999 bytes. */
const AT_ONCE = 100;

type Word = { cancelled: string[] };

/**
 * What processes tell each other of jobs: that there are new ones, and of which subjects they are
 * cancelled. It may get lost: then a poll finds the ones, and a heartbeat the others.
 */
export function createQueueNotifications(
  events: Events,
  heed: { added(): void; cancelled(subjects: string[]): void },
) {
  const stop = events.subscribe(TOPIC, (payload) => {
    const { cancelled } = payload as Word;
    if (cancelled.length > 0) heed.cancelled(cancelled);
    else heed.added();
  });
  const tell = (word: Word) => events.publish(TOPIC, word).catch(() => {});
  return {
    added: () => void tell({ cancelled: [] }),
    cancelled(subjects: string[]) {
      for (let at = 0; at < subjects.length; at += AT_ONCE) {
        void tell({ cancelled: subjects.slice(at, at + AT_ONCE) });
      }
    },
    stop,
  };
}
