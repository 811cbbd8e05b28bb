import { expect, test } from 'bun:test';
import { renderToStaticMarkup } from 'react-dom/server';
import { BucketStatusMark } from './bucket-card.tsx';

const markOf = (status: Parameters<typeof BucketStatusMark>[0]['status']) =>
  renderToStaticMarkup(<BucketStatusMark status={status} />);

test('a running bucket is available, in green', () => {
  expect(markOf('running')).toMatch(/text-success.*>Available</);
});

test.each(['suspended', 'banned', 'deleting'] as const)(
  'a %s one is unavailable, in red',
  (status) => {
    expect(markOf(status)).toMatch(/text-error.*>Unavailable</);
  },
);
