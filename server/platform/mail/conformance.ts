import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import PostalMime, { type Email } from 'postal-mime';
import { type Mailer, MailRefusedError } from './port.ts';

export type MailerFixture = {
  /** A mailer that sends from 'Wharf <post@wharf.example>'. */
  mailer: Mailer;
  /** Returns the sources of all accepted mails, oldest first. */
  received(): Promise<string[]>;
  close(): Promise<void>;
};

/** Tests that every mailer passes. `open` returns one that has sent nothing. */
export function describeMailer(name: string, open: () => Promise<MailerFixture>) {
  describe(name, () => {
    let fixture: MailerFixture;
    let mailer: Mailer;
    beforeAll(async () => {
      fixture = await open();
      mailer = fixture.mailer;
    });
    afterAll(() => fixture?.close());

    const lastSource = async () => (await fixture.received()).at(-1) ?? '';
    const last = async (): Promise<Email> => PostalMime.parse(await lastSource());
    const recipients = (mail: Email) => mail.to?.map((one) => one.address);

    test('delivers subject, recipient, sender and both bodies as they were', async () => {
      const text = 'Your code is 123456.\n\nIt lives for ten minutes.\n.\n..two dots\nEnd';
      const html = '<p>Your code is <b>123456</b> &amp; lives for <i>ten</i> minutes.</p>';
      await mailer.send({ to: 'ada@example.com', subject: 'Your code', text, html });
      const mail = await last();
      expect(mail.subject).toBe('Your code');
      expect(recipients(mail)).toEqual(['ada@example.com']);
      expect(mail.from).toMatchObject({ name: 'Wharf', address: 'post@wharf.example' });
      expect(mail.text?.replaceAll('\r\n', '\n').trimEnd()).toBe(text);
      expect(mail.html?.trimEnd()).toBe(html);
      expect(mail.cc).toBeUndefined();
      expect(mail.bcc).toBeUndefined();
      expect(mail.messageId).toMatch(/^<[^<>\s]+@wharf\.example>$/);
      expect(mail.headers).toContainEqual(
        expect.objectContaining({ key: 'auto-submitted', value: 'auto-generated' }),
      );
    });

    test('shows the code in the source, where a person can find it', async () => {
      const text = `Ihr Bestätigungs-Code ✓\n\n654321\n\n${'Ein langer Satz. '.repeat(20)}`;
      await mailer.send({ to: 'ada@example.com', subject: 'Code', text });
      expect(await lastSource()).toMatch(/^654321\r?$/m);
      expect((await last()).text?.replaceAll('\r\n', '\n').trimEnd()).toBe(text.trimEnd());
    });

    test('keeps a plain mail plain, with no second body', async () => {
      await mailer.send({ to: 'ada@example.com', subject: 'Plain', text: 'Only text' });
      const mail = await last();
      expect(mail.html).toBeUndefined();
      expect(mail.attachments).toEqual([]);
    });

    test('carries a subject of any script and length', async () => {
      const subject = `Zażółć gęślą jaźń – 你好, мир 👩🏽‍🚀 ${'lang '.repeat(40)}`.trim();
      await mailer.send({ to: 'ada@example.com', subject, text: 'x' });
      expect((await last()).subject).toBe(subject);
      for (const line of (await lastSource()).split('\n')) expect(line.length).toBeLessThan(999);
    });

    test.each(['\r\n', '\n', '\r', '\r\n\r\n', '\u2028', '\0\n'])(
      'lets no header or recipient in through a subject with %j',
      async (end) => {
        const subject = `Hello${end}Bcc: eve@evil.example${end}X-Evil: 1`;
        await mailer.send({ to: 'ada@example.com', subject, text: 'x' });
        const mail = await last();
        expect(recipients(mail)).toEqual(['ada@example.com']);
        expect(mail.headers.map((one) => one.key)).not.toContain('bcc');
        expect(mail.headers.map((one) => one.key)).not.toContain('x-evil');
        expect(mail.text?.trimEnd()).toBe('x');
      },
    );

    test.each([
      '',
      'ada',
      'ada@example.com\r\nBcc: eve@evil.example',
      'ada@example.com, eve@evil.example',
      'ada@example.com>\r\nRCPT TO:<eve@evil.example',
      'Ada <ada@example.com>',
      '"eve@evil.example" ada@example.com',
    ])('refuses for good to send to %j', async (to) => {
      const before = (await fixture.received()).length;
      const failure = await mailer
        .send({ to, subject: 'x', text: 'x' })
        .catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(MailRefusedError);
      expect(await fixture.received()).toHaveLength(before);
    });

    test('never reads a file or an address that a body names', async () => {
      const text = 'file:///etc/passwd';
      const html = '<img src="/etc/passwd"><img src="http://127.0.0.1:1/x">';
      await mailer.send({ to: 'ada@example.com', subject: 'x', text, html });
      const mail = await last();
      expect(mail.html?.trimEnd()).toBe(html);
      expect(mail.attachments).toEqual([]);
    });

    test('sends many at once, each once', async () => {
      const before = (await fixture.received()).length;
      const subjects = Array.from({ length: 12 }, (_, index) => `Mail ${index}`);
      await Promise.all(
        subjects.map((subject) => mailer.send({ to: 'ada@example.com', subject, text: 'x' })),
      );
      const sources = (await fixture.received()).slice(before);
      const mails = await Promise.all(sources.map((one) => PostalMime.parse(one)));
      expect(mails.map((one) => one.subject ?? '').sort()).toEqual(subjects.sort());
    });
  });
}
