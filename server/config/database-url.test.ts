import { expect, test } from 'bun:test';
import { normalizeDatabaseUrl } from './database-url.ts';

const cases: [string, string | null][] = [
  ['', ''],
  ['?sslmode=disable', '?sslmode=disable'],
  ['?sslmode=verify-full', '?sslmode=verify-full'],
  ['?sslmode=require', '?sslmode=verify-full'],
  ['?sslmode=prefer', '?sslmode=verify-full'],
  ['?sslmode=verify-ca&sslrootcert=%2Fca.pem', '?sslmode=verify-full&sslrootcert=%2Fca.pem'],
  ['?ssl=true', '?sslmode=verify-full'],
  ['?sslmode=no-verify', null],
  ['?sslmode=on', null],
];
for (const [given, expected] of cases) {
  test(`a database URL with '${given}' is ${expected === null ? 'refused' : `one with '${expected}'`}`, () => {
    const base = 'postgres://wharf:p%40ss@db.example.com/wharf';
    expect(normalizeDatabaseUrl(base + given)).toBe(expected === null ? null : base + expected);
  });
}
