import { expect, test } from 'bun:test';
import { renderMail } from '../../../platform/mail/mail-layout.tsx';
import type { ChallengePurpose } from '../tables.ts';
import { addressChangedMail, addressTakenMail, codeMail, noAccountMail } from './mails.ts';

const APP = 'https://wharf.example';
const TO = 'ada@example.com';
/** Of each purpose: what its mail says to do if it was not you. */
const OTHERWISE: Record<ChallengePurpose, RegExp> = {
  signup: /ignore this email/,
  login: /change your password/,
  recovery: /ignore this email/,
  'change-email': /ignore this email/,
  'change-password': /end any sessions you don't recognise/,
  'delete-account': /change your password and end all other sessions/,
  'delete-bucket': /change your password and end all other sessions/,
};

for (const [purpose, otherwise] of Object.entries(OTHERWISE)) {
  test(`the mail with a code for ${purpose} has it first in the subject, as text and as HTML, and says what it is for`, async () => {
    const mail = await renderMail(codeMail(TO, 123_456, purpose as ChallengePurpose));
    expect(mail.to).toBe(TO);
    expect(mail.subject).toBe('123456 is your Wharf code');
    for (const body of [mail.text, mail.html?.replaceAll('&#x27;', "'") ?? '']) {
      expect(body).toContain('123456');
      expect(body).toContain('Use this code to ');
      expect(body).toContain('It expires in 10 minutes.');
      expect(body).toMatch(/If (this wasn't you|you didn't)/);
      expect(body).toMatch(otherwise);
      expect(body).toContain('Wharf');
      // A link in a mail with a code is what those who fish for codes would put there.
      expect(body).not.toContain('href');
    }
  });
}

test('the mail with a code for delete-bucket names the bucket that it deletes', async () => {
  const mail = await renderMail(codeMail(TO, 123_456, 'delete-bucket', 'Summer <3'));
  expect(mail.text).toContain('delete the bucket “Summer <3” and all its files');
  expect(mail.html).toContain('Summer &lt;3');
});

test('mails without a code say what to do, and lead to our own pages alone', async () => {
  const undo = `${APP}/undo-email-change?token=x`;
  for (const one of [
    addressTakenMail(TO, APP),
    noAccountMail(TO, APP),
    addressChangedMail(TO, 'new@example.com', undo),
  ]) {
    const mail = await renderMail(one);
    expect(mail.subject).toContain('Wharf');
    expect(mail.text).not.toMatch(/\d{6}/);
    expect(mail.text).toContain("If this wasn't you");
    const links = `${mail.html} ${mail.text}`.match(/https?:\/\/[^\s"<]+/g) ?? [];
    expect(links.length).toBe(2);
    for (const link of links) expect(link).toStartWith(`${APP}/`);
  }
});

test('what users chose can put nothing into the HTML of a mail', async () => {
  const change = addressChangedMail(TO, '"><img src=x>&@example.com', `${APP}/?a="><script>`);
  const mail = await renderMail(change);
  expect(mail.html).not.toContain('<img');
  expect(mail.html).not.toContain('<script');
  expect(mail.html).toContain('&quot;&gt;&lt;img src=x&gt;&amp;@example.com');
});
