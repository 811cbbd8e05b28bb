import { afterAll, expect, test } from 'bun:test';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mailedSecrets, secretsIn } from './secrets.ts';

const folder = await mkdtemp(join(tmpdir(), 'wharf-secrets-'));
afterAll(() => rm(folder, { recursive: true }));

test('a secret in a log is found, wherever it stands by itself', () => {
  const log = '{"path":"/login","code":123456,"token":"a.b-c_d"}\nharbour at work+1\n';
  expect(secretsIn(log, ['123456', 'a.b-c_d', 'harbour at work+1'])).toHaveLength(3);
});

test('digits inside a longer number, or a token inside a longer one, are none', () => {
  expect(secretsIn('{"time":1712345678901,"id":"x123456y"}', ['123456', '345678'])).toEqual([]);
});

test('codes and the tokens of links are read from mails, quoted-printable ones too', async () => {
  const token = 'A'.repeat(20) + 'b'.repeat(23);
  const link = `https://wharf.example/undo-email-change?token=3D${token.slice(0, 30)}=\r\n${token.slice(30)}`;
  await writeFile(
    join(folder, '1.eml'),
    `To: a@b.c\r\nSubject: 654321 is your code\r\n\r\n${link}`,
  );
  expect(await mailedSecrets(folder)).toEqual(['654321', token]);
});
