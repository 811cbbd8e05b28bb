import { afterAll, expect, test } from 'bun:test';
import { readdir, rm, writeFile } from 'node:fs/promises';
import type { Finding } from '../../../server/cli/doctor/finding.ts';
import { SECOND } from '../../../server/contract/limits.ts';
import type { AdminJobsWire } from '../../../server/contract/wire.ts';
import { PASSWORD } from '../../support/client/api.ts';
import { browser } from '../../support/client/browser.ts';
import { until } from '../../support/client/wait.ts';
import { ADMIN, withAdmin } from '../../support/fixtures/admin-fixture.ts';
import { runCommand } from '../../support/server/command.ts';
import { startServerInProcess } from '../../support/server/in-process-server.ts';
import { engineSettings } from '../../support/server/test-engine.ts';

let ahead = 0;
const { server, get } = await withAdmin(
  await startServerInProcess({ ADMIN_EMAIL: ADMIN }, { clock: () => Date.now() + ahead }),
);
afterAll(() => server.stop());

const health = async () => {
  const response = await fetch(`${server.url}/health`);
  const { status, mail } = (await response.json()) as { status: string; mail: string };
  return [response.status, status, mail];
};
const doctor = async () => {
  const settings = { DATA_DIR: server.dataDir, ...(await engineSettings(server.dataDir)) };
  const { stdout } = await runCommand(['doctor', '--json'], { ...settings, APP_URL: server.url });
  const findings = stdout
    .trim()
    .split('\n')
    .map((line): Finding => JSON.parse(line));
  return findings.filter(({ name, ok }) => name === 'mail' && !ok);
};

test('an outbox that takes no mails shows in the health, to the admin and to doctor, until it does', async () => {
  expect(await health()).toEqual([200, 'ok', 'ok']);
  await rm(server.outbox, { recursive: true });
  await writeFile(server.outbox, 'not a folder');
  const email = 'waiting@example.com';
  const client = browser(server.url);
  expect((await client.post('/users/signup', { email, password: PASSWORD })).status).toBe(204);

  const status = `/users/mail/status?email=${email}&purpose=signup`;
  await until(async () => (await (await client.fetch(status)).json()).failed !== null);
  await until(async () => (await health())[2] === 'failing');
  expect(await health()).toEqual([200, 'ok', 'failing']);
  expect((await get<AdminJobsWire>('/admin/jobs')).mail).toContain('EEXIST');
  expect(await doctor()).toEqual([
    {
      name: 'mail',
      ok: false,
      text: expect.stringContaining("the server can't send emails: Error: EEXIST"),
      change: 'Fix the cause. Retry the emails that have failed in the admin area.',
    },
  ]);

  await rm(server.outbox);
  ahead += 10 * SECOND;
  await until(async () => (await readdir(server.outbox).catch(() => [])).length === 1);
  await until(async () => (await health())[2] === 'ok');
  expect((await get<AdminJobsWire>('/admin/jobs')).mail).toBeNull();
  expect(await doctor()).toEqual([]);
});
