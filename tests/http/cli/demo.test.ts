import { afterAll, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page, PaymentWire } from '../../../server/contract/wire.ts';
import { browser } from '../../support/client/browser.ts';
import { fsck } from '../../support/server/command.ts';
import { freePort } from '../../support/server/free-port.ts';
import { ROOT } from '../../support/server/program.ts';

const scratch = await mkdtemp(join(tmpdir(), 'wharf-demo-'));
afterAll(() => rm(scratch, { recursive: true, force: true }));

/** Starts the demo, and returns its output up to a text, and then up to later ones. */
async function startDemo(folder: string) {
  const port = await freePort();
  const child = Bun.spawn([process.execPath, 'scripts/demo.ts', folder], {
    cwd: ROOT,
    // The settings of another server must have no effect on it.
    env: {
      ...process.env,
      PORT: String(port),
      APP_URL: '',
      HOST: '',
      DATABASE_URL: 'postgres://nowhere/x',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const until = async (pattern: RegExp): Promise<string> => {
    for (;;) {
      const match = pattern.exec(text);
      if (match) return match[1] ?? match[0];
      const { value, done } = await reader.read();
      if (done) throw new Error(`The demo has ended:\n${text}`);
      text += value;
    }
  };
  const stop = async () => {
    child.kill('SIGTERM');
    reader.releaseLock();
    return child.exited;
  };
  return { url: `http://127.0.0.1:${port}`, until, stop };
}

test('the demo has an account, buckets, files and payments, and is consistent', async () => {
  const folder = join(scratch, 'demo');
  const demo = await startDemo(folder);
  const email = await demo.until(/Email +(\S+)/);
  const password = await demo.until(/Password +(\S+)/);
  await demo.until(/is running at/);
  const { post } = browser(demo.url);
  await post(`/users/send/email/no/auth/${email}/login`, { password });
  const code = Number(await demo.until(/code from the email: (\d{6})/));
  const session = (await (
    await post('/users/login', { email, password, email_token: code })
  ).json()) as {
    token: string;
  };
  const read = async (path: string) => {
    const headers = { authorization: `Bearer ${session.token}` };
    return (await (await fetch(`${demo.url}${path}`, { headers })).json()) as never;
  };
  const { data: buckets } = (await read('/buckets')) as Page<{ id: string; name: string }>;
  expect(buckets.map(({ name }) => name).sort()).toEqual(['Drafts', 'Product videos', 'Website']);
  const statuses = await Promise.all(
    buckets.map(async ({ id }) => {
      const { data } = (await read(`/files/${id}`)) as Page<{ status: string }>;
      return data.map(({ status }) => status);
    }),
  );
  expect(statuses.flat().filter((one) => one === 'success')).toHaveLength(11);
  expect(statuses.flat().filter((one) => one === 'error')).toHaveLength(1);
  const payments = (await read('/payments/user/')) as Page<PaymentWire>;
  expect(payments.data).toHaveLength(3);
  expect(await demo.stop()).toBe(0);

  const { status, findings } = await fsck(join(folder, 'data'));
  expect(findings).toEqual([]);
  expect(status).toBe(0);

  const again = await startDemo(folder);
  expect(await again.until(/Password +(\S+)/)).toBe(password);
  await again.until(/is running at/);
  expect(await again.stop()).toBe(0);
}, 600_000);
