import { expect, test } from 'bun:test';
import { checkEncryption } from './encryption.ts';

const HOSTS: Record<string, string[]> = {
  'db.example.com': ['93.184.215.14'],
  'mail.example.com': ['2606:2800:21f:cb07:6820:80da:af6b:8b2c'],
  postgres: ['172.18.0.2'],
  '127.0.0.1': ['127.0.0.1'],
};
const resolve = async (hostname: string) => HOSTS[hostname] ?? Promise.reject(new Error('none'));

/** Returns whether each finding for the two URLs is fine. */
async function outcomes(database: string | null, mail: string | null): Promise<boolean[]> {
  const findings = await checkEncryption(
    {
      database: database
        ? { kind: 'postgres', url: database, sessionUrl: database, poolSize: 10 }
        : { kind: 'sqlite', path: '' },
      mail: mail ? { kind: 'smtp', url: mail, from: '' } : { kind: 'outbox', folder: '', from: '' },
    },
    resolve,
  );
  return findings.map(({ ok }) => ok);
}

const cases: [string | null, string | null, boolean[]][] = [
  [null, null, []],
  ['postgres://a@127.0.0.1/a', 'smtp://127.0.0.1:25', []],
  ['postgres://a@postgres/a', 'smtp://nowhere.example', []],
  ['postgres://a@db.example.com/a', 'smtp://u:p@mail.example.com:587', [false, false]],
  ['postgres://a@db.example.com/a?sslmode=disable', null, [false]],
  ['postgres://a@db.example.com/a?sslmode=verify-full', 'smtps://mail.example.com', [true, true]],
  [null, 'smtp://mail.example.com?requireTLS=true', [true]],
  [null, 'smtps://mail.example.com?tls.rejectUnauthorized=false', [false]],
];
for (const [database, mail, expected] of cases) {
  test(`doctor says of ${database} and ${mail}: ${expected.join() || 'nothing'}`, async () => {
    expect(await outcomes(database, mail)).toEqual(expected);
  });
}
