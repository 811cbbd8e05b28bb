import { expect, test } from 'bun:test';
import { checkRole, jobsOf, roleOf } from './roles.ts';

test('a process does everything unless it is told otherwise', () => {
  expect(roleOf([])).toBe('all');
  expect(roleOf(['--role', 'web'])).toBe('web');
  expect(roleOf(['--role=media'])).toBe('media');
});

test.each(['--role', '--role api', '--role ', 'web', '--role web media', '--rôle=web'])(
  '%p is refused in one line',
  (line) => {
    expect(() => roleOf(line.split(' '))).toThrow(/^[^\n]+$/);
  },
);

test('encoding is for media, and all else for web: nothing is for both or neither', () => {
  for (const kind of ['image', 'video', 'mail', 'delete-bucket', 'delete-account', 'anything']) {
    expect([jobsOf('web')(kind), jobsOf('media')(kind)].filter(Boolean)).toHaveLength(1);
    expect(jobsOf('all')(kind)).toBe(true);
  }
  expect(jobsOf('media')('video')).toBe(true);
  expect(jobsOf('media')('mail')).toBe(false);
});

test('roles are refused with SQLite, which one process has for itself', () => {
  const sqlite = { database: { kind: 'sqlite', path: '/tmp/x.db' } } as const;
  const url = 'postgres://x';
  const postgres = { database: { kind: 'postgres', url, sessionUrl: url, poolSize: 10 } } as const;
  expect(() => checkRole('web', sqlite)).toThrow(
    '--role web requires PostgreSQL. Set DATABASE_URL, or run a single process with SQLite.',
  );
  expect(() => checkRole('media', sqlite)).toThrow('Set DATABASE_URL');
  expect(() => checkRole('all', sqlite)).not.toThrow();
  expect(() => checkRole('web', postgres)).not.toThrow();
});
