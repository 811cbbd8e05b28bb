import { afterAll, describe, expect, test } from 'bun:test';
import { createBucket, signUp } from '../../support/client/api.ts';
import { startServerInProcess } from '../../support/server/in-process-server.ts';

const ADMIN = 'pilot@example.com';
const server = await startServerInProcess({ ADMIN_EMAIL: ADMIN, SIGNUP_CREDIT: '4.32' });
afterAll(() => server.stop());
const user = await signUp(server, ADMIN);
const { id } = await createBucket(server, user.token, 'Harbour at dawn');

/** Returns what a page shows below its top bar before any script has loaded, without the props of islands. */
async function textOf(path: string): Promise<string> {
  const response = await user.client.fetch(path, { headers: { accept: 'text/html' } });
  expect(response.status).toBe(200);
  const html = await response.text();
  const main = html.slice(html.indexOf('<main'));
  return main.replaceAll(/<script.*?<\/script>/gs, '').replaceAll('<!-- -->', '');
}

describe('the first HTML of a page holds its data', () => {
  test.each([
    ['/dashboard', '>Harbour at dawn</a>'],
    ['/dashboard', 'Bandwidth this month'],
    ['/dashboard', 'Your newest files will appear here.'],
    ['/dashboard?name=nothing', 'No buckets to diplay.'],
    [`/dashboard/bucket/${id}`, 'Total Disk-All: <strong'],
    [`/dashboard/bucket/${id}?unit=x&chartType=y&from=2026-02-30&to=z`, 'Total Disk-All: <strong'],
    [`/dashboard/files/${id}`, 'No files here.'],
    [`/dashboard/api-key/${id}`, `>${id}<`],
    [`/dashboard/settings/${id}`, 'value="Harbour at dawn"'],
    ['/profile', `value="${ADMIN}"`],
    ['/billing', '$4.32'],
    [`/billing/print/${new Date().toISOString().slice(0, 7)}`, '>Closing balance</dt>'],
    ['/admin/overview', 'Total uploads'],
    ['/admin/buckets', 'Harbour at dawn'],
    ['/admin/users', ADMIN],
    ['/admin/logs', 'created.'],
  ])('%s: %s', async (path, data) => {
    const html = await textOf(path);
    expect(html).toContain(data);
    // A list or a chart must not show a spinner; a button may contain one of its own.
    expect(html).not.toMatch(/role="status" aria-label="Loading/);
  });
});

test('a page that fails says so with a way home, and nothing of why', async () => {
  const { buckets } = server.services;
  const { list } = buckets;
  buckets.list = () => Promise.reject(new Error('a table is gone'));
  try {
    const response = await user.client.fetch('/dashboard', { headers: { accept: 'text/html' } });
    expect(response.status).toBe(500);
    const html = await response.text();
    expect(html).toContain('>An unexpected error occurred.</h1>');
    expect(html).toMatch(/<a href="\/"[^>]*>Go Home<\/a>/);
    expect(html).not.toContain('a table is gone');
  } finally {
    buckets.list = list;
  }
});

test('the buckets are shown although the figures above them can not be loaded', async () => {
  const { usage } = server.services;
  const { accountDays } = usage;
  usage.accountDays = () => Promise.reject(new Error('a table is gone'));
  try {
    const html = await textOf('/dashboard');
    expect(html).toContain('>Harbour at dawn</a>');
    expect(html).toContain('Your account’s figures could not be loaded.');
    expect(html).not.toContain('Bandwidth this month');
    expect(html).not.toContain('a table is gone');
  } finally {
    usage.accountDays = accountDays;
  }
});
