import { afterAll, expect, test } from 'bun:test';
import { CONNECTION_EVENT } from '../runtime/page-events.ts';
import { AUTH_KEY } from '../runtime/session.ts';
import { watchBalance } from './top-bar.ts';

const real = { fetch: globalThis.fetch };
const balance = { textContent: '$1.00' };
const page = Object.assign(new EventTarget(), {
  documentElement: { dataset: { viewer: 'u' } },
  querySelectorAll: () => [balance],
});
const browser = new EventTarget();
const stored = JSON.stringify({ access: 't', userId: 'u', exp: 9e9, email: 'a@b.c', isAuth: true });
let isOnline = true;
Object.assign(globalThis, {
  window: browser,
  document: page,
  localStorage: { getItem: (key: string) => (key === AUTH_KEY ? stored : null) },
  fetch: async () => {
    if (!isOnline) throw new TypeError('Failed to fetch');
    return Response.json({ credit: 12.5 });
  },
});
afterAll(() => {
  for (const name of ['window', 'document', 'localStorage'])
    Reflect.deleteProperty(globalThis, name);
  globalThis.fetch = real.fetch;
});

/** Lets the request, which answers at once, and what follows it run. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

const goOnline = {
  'the browser': () => browser.dispatchEvent(new Event('online')),
  'the socket': () => page.dispatchEvent(new CustomEvent(CONNECTION_EVENT, { detail: 'up' })),
};

test('the balance that could not be loaded is loaded when the connection is back', async () => {
  watchBalance();
  await settle();
  expect(balance.textContent).toBe('$12.50');
  for (const [who, tell] of Object.entries(goOnline)) {
    isOnline = false;
    page.dispatchEvent(new Event('wharf:changed'));
    await settle();
    expect(balance.textContent).toBe('Error');
    page.dispatchEvent(new CustomEvent(CONNECTION_EVENT, { detail: 'down' }));
    await settle();
    expect(balance.textContent).toBe('Error');
    isOnline = true;
    tell();
    await settle();
    expect([who, balance.textContent]).toEqual([who, '$12.50']);
  }
});
