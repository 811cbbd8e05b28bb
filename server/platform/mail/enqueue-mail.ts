import { DAY, HOUR, MINUTE } from '../../contract/limits.ts';
import type { Clock } from '../clock.ts';
import type { Executor } from '../db/port.ts';
import { newId, timeOf } from '../ids.ts';
import { PostponedError } from '../queue/handler.ts';
import type { Queue } from '../queue/queue.ts';
import { type Keys, seal, unseal } from '../secrets/secrets.ts';
import { renderMail } from './mail-layout.tsx';
import { type LaidOutMail, type Mailer, MailRefusedError } from './port.ts';

/**
 * Queues a mail and returns its id, which is the subject of its job. For null it does the same work and
 * sends nothing, so that timing does not tell whether an account exists.
 */
export type MailQueue = (tx: Executor, mail: LaidOutMail | null) => Promise<string>;

/** How long a notice that can't be sent is tried again. */
const NOTICE_TTL_MS = 3 * DAY;
const MIN_NOTICE_DELAY_MS = MINUTE;
const MAX_NOTICE_DELAY_MS = HOUR;

/**
 * Sends mail by a job that is written with the row it is about, so that no response waits for the mail
 * server. The mail may contain a code, so the job's payload is encrypted.
 */
export function createMailQueue(queue: Queue, mailer: Mailer, keys: Keys, clock: Clock): MailQueue {
  queue.handle<{ sealed: string }>('mail', {
    concurrency: 2,
    async run({ subject, payload, signal }) {
      const sealedMail = unseal(keys.all('mail-seal'), payload.sealed, subject);
      const mail: LaidOutMail | null = JSON.parse(sealedMail);
      if (mail) {
        const rendered = await renderMail(mail);
        const age = clock() - timeOf(subject);
        await mailer.send(rendered, signal).catch((error) => {
          throw mail.isNotice && age < NOTICE_TTL_MS ? postponed(age, error) : error;
        });
      }
      return async () => {};
    },
  });
  return async (tx, mail) => {
    const subject = newId(clock());
    const sealed = seal(keys('mail-seal'), JSON.stringify(mail), subject);
    await queue.add(tx, { kind: 'mail', subject, payload: { sealed } });
    return subject;
  };
}

/** The older a notice is, the longer it waits. What the mail server refuses for good is not tried again. */
function postponed(ageMs: number, error: unknown): unknown {
  if (error instanceof MailRefusedError) return error;
  return new PostponedError(
    Math.min(MAX_NOTICE_DELAY_MS, Math.max(MIN_NOTICE_DELAY_MS, ageMs)),
    error,
  );
}
