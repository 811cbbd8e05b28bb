import type { Executor } from '../db/port.ts';
import { newId } from '../ids.ts';
import type { Queue } from '../queue/queue.ts';
import { type Keys, seal, unseal } from '../secrets/secrets.ts';
import { renderMail } from './mail-layout.tsx';
import type { LaidOutMail, Mailer } from './port.ts';

/**
 * Queues a mail and returns its id, which is the subject of its job. For null it does the same work and
 * sends nothing, so that timing does not tell whether an account exists.
 */
export type MailQueue = (tx: Executor, mail: LaidOutMail | null) => Promise<string>;

/**
 * Sends mail by a job that is written with the row it is about, so that no response waits for the mail
 * server. The mail may contain a code, so the job's payload is encrypted.
 */
export function createMailQueue(queue: Queue, mailer: Mailer, keys: Keys): MailQueue {
  queue.handle<{ sealed: string }>('mail', {
    concurrency: 2,
    async run({ subject, payload, signal }) {
      const sealedMail = unseal(keys.all('mail-seal'), payload.sealed, subject);
      const mail: LaidOutMail | null = JSON.parse(sealedMail);
      if (mail) await mailer.send(await renderMail(mail), signal);
      return async () => {};
    },
  });
  return async (tx, mail) => {
    const subject = newId(Date.now());
    const sealed = seal(keys('mail-seal'), JSON.stringify(mail), subject);
    await queue.add(tx, { kind: 'mail', subject, payload: { sealed } });
    return subject;
  };
}
