import { afterEach, expect, test } from 'bun:test';
import { describeEachEngine } from '../../../tests/support/server/engines.ts';
import { HOUR, MINUTE } from '../../contract/limits.ts';
import { open, stopQueues, until } from '../queue/testing/small-queue.ts';
import { deriveKeys } from '../secrets/secrets.ts';
import { createMailQueue } from './enqueue-mail.ts';
import { findMailFailure } from './mail-failure.ts';
import { type LaidOutMail, MailRefusedError } from './port.ts';

afterEach(stopQueues);

const keys = deriveKeys('s'.repeat(32));
const mailTo = (to: string, more: Partial<LaidOutMail> = {}): LaidOutMail => ({
  to,
  subject: 's',
  text: 't',
  ...more,
});

await describeEachEngine('mails that can not be sent', (openDatabase) => {
  /** Opens a queue of mails at a time that tests move, whose mail server does what `outcome` says. */
  async function start() {
    const database = await openDatabase();
    const state = {
      now: Date.now(),
      outcome: null as Error | null,
      tries: 0,
      sent: [] as string[],
    };
    const clock = () => state.now;
    const { queue } = open(database, {}, { clock });
    const mailer = {
      async send({ to }: { to: string }) {
        state.tries += 1;
        if (state.outcome) throw state.outcome;
        state.sent.push(to);
      },
    };
    const enqueue = createMailQueue(queue, mailer, keys, clock);
    await queue.start({ isOnlyProcess: true });
    const rows = () => database.db.selectFrom('jobs').selectAll().execute();
    return {
      state,
      rows,
      failure: () => findMailFailure(database.db, clock()),
      enqueue: (mail: LaidOutMail) => enqueue(database.db, mail),
      /** Moves the time until the mail has been tried again, and its outcome is written. */
      async tryAgain(ms: number) {
        const before = state.tries;
        state.now += ms;
        await until(() => state.tries > before);
        await until(async () => (await rows()).every((row) => row.state !== 'running'));
      },
    };
  }

  test('are given up after minutes if they have a code, and say so for a while', async () => {
    const { state, rows, enqueue, failure, tryAgain } = await start();
    state.outcome = new Error('connect ECONNREFUSED');
    expect(await failure()).toBeNull();
    await enqueue(mailTo('ada@example.com'));
    await until(async () => (await failure()) === 'Error: connect ECONNREFUSED');
    for (let attempt = 2; attempt <= 5; attempt += 1) await tryAgain(HOUR);
    expect((await rows()).map((row) => row.state)).toEqual(['failed']);
    expect(await failure()).toBe('Error: connect ECONNREFUSED');
    state.now += 16 * MINUTE;
    expect(await failure()).toBeNull();
  });

  test('are sent days later if they are notices', async () => {
    const { state, enqueue, failure, tryAgain } = await start();
    state.outcome = new Error('connect ECONNREFUSED');
    await enqueue(mailTo('ada@example.com', { isNotice: true }));
    await until(async () => (await failure()) !== null);
    for (let hours = 0; hours < 60; hours += 6) await tryAgain(6 * HOUR);
    expect(await failure()).toBe('Error: connect ECONNREFUSED');
    state.outcome = null;
    await tryAgain(6 * HOUR);
    expect(state.sent).toEqual(['ada@example.com']);
    expect(await failure()).toBeNull();
  });

  test('are given up at once if the mail server refuses them, of which only several are a failure', async () => {
    const { state, rows, enqueue, failure } = await start();
    state.outcome = new MailRefusedError('550 no such user');
    const refuse = async (to: string) => {
      const before = (await rows()).length;
      await enqueue(mailTo(to, { isNotice: true }));
      await until(
        async () => (await rows()).filter((row) => row.state === 'failed').length > before,
      );
    };
    await refuse('a@example.com');
    await refuse('b@example.com');
    expect(await failure()).toBeNull();
    await refuse('c@example.com');
    expect(await failure()).toBe('550 no such user');
  });
});
