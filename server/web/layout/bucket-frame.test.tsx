import { expect, test } from 'bun:test';
import { renderToString } from 'react-dom/server';
import type { BucketStatus } from '../../contract/wire.ts';
import { BucketNotice } from './bucket-frame.tsx';

const notice = (status: BucketStatus, total_uploads = 0) =>
  renderToString(<BucketNotice bucket={{ status, total_uploads }} />);

test('a bucket that is available has nothing to say', () => {
  expect(notice('running')).toBe('');
});

test('a suspended bucket says why, for how long it is delivered, and leads to the balance', () => {
  const html = notice('suspended');
  expect(html).toContain('your balance is below zero');
  expect(html).toContain('72 hours');
  expect(html).toContain('href="/billing"');
});

test.each(['banned', 'deleting'] as const)('one that is %s leads to no payment', (status) => {
  expect(notice(status)).toContain('This bucket is');
  expect(notice(status)).not.toContain('/billing');
});

test('one that is being deleted says how many files are left', () => {
  expect(notice('deleting', 734_200)).toContain('Files left: 734,200.');
});
