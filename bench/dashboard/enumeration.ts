import { signUp } from '../../tests/support/client/api.ts';
import {
  type ServerProcess,
  startServerProcess,
} from '../../tests/support/server/server-process.ts';
import { median } from '../measurement.ts';

const PASSWORD = 'a long enough password';

export type Timing = { call: string; existing: number; unknown: number };

/** Calls that must take the same time for an address with an account as for one without. */
const CALLS: { call: string; send: (email: string) => [path: string, body: object] }[] = [
  { call: 'signup', send: (email) => ['/users/signup', { email, password: PASSWORD }] },
  {
    call: 'login, wrong password',
    send: (email) => [`/users/send/email/no/auth/${email}/login`, { password: 'wrong password' }],
  },
  {
    call: 'recovery',
    send: (email) => [`/users/send/email/no/auth/${email}/recovery`, { password: 'nil' }],
  },
  {
    call: 'resend',
    send: (email) => [`/users/send/email/no/auth/${email}/signup`, { password: 'nil' }],
  },
];

/** Returns the milliseconds of each call: medians over `count` addresses of each kind, measured in turns. */
export async function compareAddresses(count: number): Promise<Timing[]> {
  const server = await startServerProcess({ env: { TRUST_PROXY: '1', LOG_LEVEL: 'error' } });
  try {
    const existing = [];
    for (let n = 0; n < count; n += 1) {
      const email = `known-${n}@example.org`;
      await signUp(server, email, PASSWORD);
      existing.push(email);
    }
    const timings: Timing[] = [];
    for (const { call, send } of CALLS) {
      const times = { known: [] as number[], unknown: [] as number[] };
      for (const [n, email] of existing.entries()) {
        times.known.push(await time(server, n, send(email)));
        times.unknown.push(await time(server, n, send(`nobody-${n}@example.org`)));
      }
      timings.push({ call, existing: median(times.known), unknown: median(times.unknown) });
    }
    return timings;
  } finally {
    await server.stop();
  }
}

/** Measures a call from a network of its own, so that no rate limit applies. */
async function time({ url }: ServerProcess, n: number, [path, body]: [string, object]) {
  const started = performance.now();
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-forwarded-for': `198.51.${Math.floor(n / 250)}.${n % 250}`,
    },
    body: JSON.stringify(body),
  });
  await response.text();
  if (![204, 401].includes(response.status)) throw new Error(`${path} answered ${response.status}`);
  return performance.now() - started;
}
