import { afterEach, beforeEach, expect, jest, test } from 'bun:test';
import { SECOND } from '../../server/contract/limits.ts';
import { CONNECTION_EVENT } from './page-events.ts';
import { listenToFiles, openSocket } from './socket.ts';

/** A fake connection that the test controls. */
class FakeSocket {
  onopen = () => {};
  onclose = (_: { code: number }) => {};
  onmessage = (_: { data: unknown }) => {};
  constructor(readonly url: URL) {
    sockets.push(this);
  }
  close() {
    this.onclose({ code: 1005 });
  }
}
let sockets: FakeSocket[] = [];
let links: string[] = [];
const { WebSocket, document, location } = globalThis;

beforeEach(() => {
  sockets = [];
  links = [];
  const page = new EventTarget();
  page.addEventListener(CONNECTION_EVENT, (event) =>
    links.push((event as CustomEvent<string>).detail),
  );
  Object.assign(globalThis, {
    WebSocket: FakeSocket,
    document: page,
    location: { href: 'https://wharf.example/dashboard' },
    window: new EventTarget(),
  });
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
  Object.assign(globalThis, { WebSocket, document, location, window: undefined });
});

function open(random = () => 0) {
  const events: unknown[] = [];
  let opens = 0;
  let verified = 0;
  const verifySession = () => {
    verified += 1;
  };
  const end = openSocket(
    'a user',
    {
      onEvent: (event) => events.push(event),
      onOpen: () => {
        opens += 1;
      },
    },
    { random, verifySession },
  );
  return { end, events, opens: () => opens, verified: () => verified };
}

test('it asks for the user’s own messages, and hands on none that is empty', () => {
  const { events, end } = open();
  expect(String(sockets[0]?.url)).toBe('wss://wharf.example/ws?user_id=a%20user');
  sockets[0]?.onmessage({ data: '' });
  sockets[0]?.onmessage({ data: '{"type":"file.success"}' });
  expect(events).toEqual([{ type: 'file.success' }]);
  end();
});

test('three seconds after a break it connects again, and tells so each time', () => {
  const { end, opens } = open();
  sockets[0]?.onopen();
  sockets[0]?.onclose({ code: 1006 });
  jest.advanceTimersByTime(3 * SECOND - 1);
  expect(sockets).toHaveLength(1);
  jest.advanceTimersByTime(1);
  expect(sockets).toHaveLength(2);
  sockets[1]?.onopen();
  expect(opens()).toBe(2);
  expect(links).not.toContain('down');
  end();
});

test('pages that are disconnected at the same time connect again over seven more seconds', () => {
  const ends = [0, 0.5, 0.999].map((random) => open(() => random).end);
  for (const socket of sockets.slice()) socket.onclose({ code: 1006 });
  for (const [milliseconds, count] of [
    [3 * SECOND, 4],
    [3.5 * SECOND, 5],
    [3.49 * SECOND, 5],
    [SECOND / 10, 6],
  ] as const) {
    jest.advanceTimersByTime(milliseconds);
    expect(sockets).toHaveLength(count);
  }
  for (const end of ends) end();
});

test('a page is told when it has been down for more than ten seconds, and that it is back', () => {
  const { end } = open();
  for (let at = 0; at < 4; at += 1) {
    expect(links).toEqual([]);
    sockets[at]?.onclose({ code: 1006 });
    jest.advanceTimersByTime(3 * SECOND);
  }
  sockets[4]?.onclose({ code: 1006 });
  expect(links).toEqual(['down']);
  jest.advanceTimersByTime(3 * SECOND);
  sockets[5]?.onopen();
  expect(links).toEqual(['down', 'up']);
  end();
});

test('once it is ended it never comes back', () => {
  const { end } = open();
  end();
  jest.advanceTimersByTime(60 * SECOND);
  expect(sockets).toHaveLength(1);
});

test('it is closed while the page is kept for the back button, and connects once when it is back', () => {
  const { end, opens } = open();
  sockets[0]?.onopen();
  window.dispatchEvent(new Event('pagehide'));
  jest.advanceTimersByTime(60 * SECOND);
  expect(sockets).toHaveLength(1);

  const show = (persisted: boolean) =>
    window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted }));
  show(false);
  expect(sockets).toHaveLength(1);
  show(true);
  sockets[1]?.onopen();
  // The browser may tell of the end of the first one only now.
  sockets[0]?.onclose({ code: 1006 });
  jest.advanceTimersByTime(60 * SECOND);
  expect([sockets.length, opens()]).toEqual([2, 2]);
  end();
  show(true);
  expect(sockets).toHaveLength(2);
});

test('all listeners of a page share one socket, which the last of them closes', () => {
  const heard: string[] = [];
  const listen = (name: string) =>
    listenToFiles('a user', {
      onEvent: ({ type }) => heard.push(`${name} ${type}`),
      onOpen: () => heard.push(`${name} open`),
    });
  const ends = [listen('one')];
  sockets[0]?.onopen();
  ends.push(listen('two'));
  sockets[0]?.onmessage({ data: '{"type":"file.created"}' });
  expect(sockets).toHaveLength(1);
  expect(heard).toEqual(['one open', 'two open', 'one file.created', 'two file.created']);
  ends[0]?.();
  sockets[0]?.onmessage({ data: '{"type":"file.deleted"}' });
  expect(heard.slice(4)).toEqual(['two file.deleted']);
  ends[1]?.();
  listen('three')();
  expect(sockets).toHaveLength(2);
});

test('it asks whether the session still holds after each handshake that was refused, and only then', () => {
  const { verified, end } = open();
  sockets[0]?.onopen();
  sockets[0]?.onclose({ code: 1006 });
  expect(verified()).toBe(0);
  for (const attempt of [1, 2]) {
    jest.advanceTimersByTime(3 * SECOND);
    sockets[attempt]?.onclose({ code: 1006 });
    expect(verified()).toBe(attempt);
  }
  jest.advanceTimersByTime(3 * SECOND);
  expect(sockets).toHaveLength(4);
  end();
  expect(verified()).toBe(2);
});
