import { expect, test } from 'bun:test';
import { problemOf, progressOf, sourceText, titleOf } from './import-texts.ts';

const running = {
  ...({ status: 'running', bucket: 'photos', prefix: '', error: null } as const),
  ...{ copied: 1, skipped: 0, failed: 0, bytes: 2048 },
};

test('an import says what it copies, and how it ended', () => {
  expect(titleOf(running)).toBe('Importing photos');
  expect(titleOf({ ...running, status: 'completed', prefix: '2026/' })).toBe(
    'Imported photos/2026/',
  );
  expect(titleOf({ ...running, status: 'failed' })).toBe('Could not import all of photos');
});

test('an import counts what was copied, was there, and failed', () => {
  expect(progressOf(running)).toBe('1 file copied (2.00 KiB).');
  expect(progressOf({ ...running, copied: 1200, skipped: 3000, failed: 2 })).toBe(
    '1,200 files copied (2.00 KiB), 3,000 already here, 2 failed.',
  );
});

test('an import that waits says that it tries again', () => {
  expect(problemOf(running)).toBe(null);
  const error = 'The connection was refused.';
  expect(problemOf({ ...running, error })).toBe(`${error} Trying again in a minute.`);
  expect(problemOf({ ...running, error, status: 'failed' })).toBe(error);
});

test('the source of missing files is named with its server', () => {
  const source = { bucket: 'photos', prefix: '', endpoint: 'https://minio.example.com:9000' };
  expect(sourceText(source)).toBe(
    'Missing files are fetched from photos at minio.example.com:9000',
  );
  expect(sourceText({ ...source, prefix: '2026/' })).toContain('photos/2026/ at');
});
