import { afterEach, beforeEach, expect, jest, test } from 'bun:test';
import { MINUTE, SECOND } from '../../contract/limits.ts';
import { meterBody } from './sent-meter.ts';

const SIZE = 1000;
/** What the connection has carried before. */
const EARLIER = 500;

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

function metered() {
  const state = { written: EARLIER, acknowledged: EARLIER, isClosed: false };
  const seen = { counted: 0, closed: 0, isServed: true };
  const connection = {
    info: () => ({ ...state }),
    isServed: () => seen.isServed,
    close: () => {
      seen.closed += 1;
    },
  };
  const leaving = new AbortController();
  const countSent = (bytes: number) => {
    seen.counted += bytes;
  };
  meterBody(connection, SIZE, countSent, leaving.signal);
  const carry = (written: number, acknowledged: number) =>
    Object.assign(state, { written: EARLIER + written, acknowledged: EARLIER + acknowledged });
  return { state, seen, carry, leave: () => leaving.abort() };
}

test('a body is counted while it arrives, within a second, and never above its size', () => {
  const { seen, carry } = metered();
  carry(900, 300);
  jest.advanceTimersByTime(SECOND);
  expect(seen).toMatchObject({ counted: 300, closed: 0 });
  // The headers are bytes of the connection as well.
  carry(SIZE + 200, SIZE + 200);
  jest.advanceTimersByTime(SECOND);
  expect(seen).toMatchObject({ counted: SIZE, closed: 1 });
  jest.advanceTimersByTime(MINUTE);
  expect(seen).toMatchObject({ counted: SIZE, closed: 1 });
});

test('a client that leaves is counted what arrived, at once and once', () => {
  const { seen, carry, leave } = metered();
  carry(900, 420);
  leave();
  expect(seen).toMatchObject({ counted: 420, closed: 1 });
  carry(900, 900);
  jest.advanceTimersByTime(MINUTE);
  expect(seen).toMatchObject({ counted: 420, closed: 1 });
});

test('a connection that breaks is counted what arrived, and is let go', () => {
  const { state, seen, carry } = metered();
  carry(900, 420);
  state.isClosed = true;
  jest.advanceTimersByTime(SECOND);
  expect(seen).toMatchObject({ counted: 420, closed: 1 });
});

test('a slow client keeps the connection, however long it takes nothing', () => {
  const { seen, carry } = metered();
  carry(900, 10);
  jest.advanceTimersByTime(10 * MINUTE);
  expect(seen).toMatchObject({ counted: 10, closed: 0 });
});

test('a body that Bun has written and let go is counted in full', () => {
  const { seen, carry } = metered();
  carry(SIZE, 10);
  jest.advanceTimersByTime(SECOND);
  seen.isServed = false;
  jest.advanceTimersByTime(2 * SECOND);
  expect(seen).toMatchObject({ counted: SIZE, closed: 1 });
});

test('a body that was never sent lets the connection go, and counts nothing', () => {
  const { seen, carry } = metered();
  jest.advanceTimersByTime(MINUTE);
  expect(seen).toMatchObject({ counted: 0, closed: 1 });
  carry(SIZE, SIZE);
  jest.advanceTimersByTime(MINUTE);
  expect(seen.counted).toBe(0);
});
