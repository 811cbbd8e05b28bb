import { expect, test } from 'bun:test';
import { renderToStaticMarkup } from 'react-dom/server';
import { RetryNotice } from './retry-file.tsx';

const noticeOf = (retryUntil: string | null, isPending = false) =>
  renderToStaticMarkup(
    <RetryNotice
      file={{ id: 'f', retry_until: retryUntil }}
      isPending={isPending}
      onRetry={() => {}}
    />,
  );

test('a file whose upload is gone offers no retry', () => {
  expect(noticeOf(null)).toBe('');
});

test('a file whose upload is kept says until when, and offers a retry', () => {
  const notice = noticeOf('2026-11-30T16:00:00.000Z');
  expect(notice).toContain('30/11/2026 16:00');
  expect(notice).toContain('Retry</button>');
  expect(notice).not.toContain('aria-busy');
});

test('a retry under way is shown, and is not started again', () => {
  expect(noticeOf('2026-11-30T16:00:00.000Z', true)).toContain('aria-busy="true"');
});
