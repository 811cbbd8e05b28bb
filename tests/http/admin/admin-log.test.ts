import { afterAll, describe, expect, test } from 'bun:test';
import type { AdminLogWire, Page } from '../../../server/contract/wire.ts';
import { createBucket, PASSWORD, signUp } from '../../support/client/api.ts';
import { browser } from '../../support/client/browser.ts';
import { until } from '../../support/client/wait.ts';
import { ADMIN, withAdmin } from '../../support/fixtures/admin-fixture.ts';
import { startServer } from '../../support/server/server.ts';

const { server, send, get, act, logs, owner } = await withAdmin(
  await startServer({ ADMIN_EMAIL: ADMIN }),
);
afterAll(() => server.stop());
const DONE = [204, ''] as const;

describe('the log', () => {
  test('says of each act who did what to what, and is searched, narrowed and paged', async () => {
    const { user, bucket } = await owner();
    await act('POST', `/admin/buckets/${bucket.id}/ban`);
    await act('POST', `/admin/buckets/${bucket.id}/unban`);
    const entries = await logs(`?subject=${bucket.id}`);
    expect(entries.map(({ action, actor }) => [action, actor.user?.email])).toEqual([
      ['bucket.unbanned', ADMIN],
      ['bucket.banned', ADMIN],
      ['bucket.created', user.email],
    ]);
    expect(entries[1]?.message).toBe('Bucket “Pictures” banned.');
    expect(entries[1]?.details).toEqual({ owner: user.userId });
    expect(entries[1]?.subject_email).toBe(user.email);

    expect((await logs('?text=PICTURES%26banned')).every((one) => one.section === 'buckets')).toBe(
      true,
    );
    expect(await logs('?text=no%26such')).toEqual([]);
    expect((await logs('?section=system')).map(({ action }) => action)).toContain('server.started');
    const today = new Date().toISOString().slice(0, 10);
    expect((await logs(`?from=${today}&to=${today}`)).length).toBeGreaterThan(3);
    expect(await logs('?to=2020-01-01')).toEqual([]);

    const ids: string[] = [];
    for (let cursor: string | null = '0'; cursor; ) {
      const page: Page<AdminLogWire> = await get(`/admin/logs?limit=7&cursor=${cursor}`);
      ids.push(...page.data.map(({ id }) => id));
      cursor = page.nextId;
    }
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(ids.toSorted().reverse());
  });

  test('hides an entry, says so, and keeps its row', async () => {
    const { bucket } = await owner();
    const [entry] = await logs(`?subject=${bucket.id}`);
    const id = entry?.id ?? '';
    expect(await act('DELETE', `/admin/logs/${id}`)).toEqual(DONE);
    expect((await act('DELETE', `/admin/logs/${id}`))[0]).toBe(404);
    const remaining = await logs(`?subject=${bucket.id}`);
    expect(remaining.map(({ action, details }) => [action, details.entry])).toEqual([
      ['log.hidden', id],
    ]);
    const { db } = server;
    const row = await db
      .selectFrom('audit_log')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
    expect(row?.action).toBe('bucket.created');
  });

  test('is exported whole, as CSV that is no formula and as JSON lines', async () => {
    const user = await signUp(server);
    const bucket = await createBucket(server, user.token, '=HYPERLINK("http://x")');
    const csv = await send('GET', '/admin/logs/export?format=csv&section=buckets');
    expect(csv.headers.get('content-disposition')).toBe('attachment; filename="audit-log.csv"');
    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const text = await csv.text();
    expect(text.split('\r\n')[0]).toBe(
      'id,date,section,action,message,actor,actor_id,subject,details',
    );
    expect(text).toContain(bucket.id);
    for (const line of text.split('\r\n')) expect(line).not.toMatch(/(^|,)"?[=+@]/);
    const lines = (await (await send('GET', '/admin/logs/export?format=jsonl')).text())
      .trim()
      .split('\n');
    const all = lines.map((line) => JSON.parse(line) as { id: string });
    const { db } = server;
    const { count } = await db
      .selectFrom('audit_log')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    const { hidden } = await db
      .selectFrom('audit_hidden')
      .select(({ fn }) => fn.countAll<number>().as('hidden'))
      .executeTakeFirstOrThrow();
    expect(all).toHaveLength(count - hidden);
    expect(lines.join()).not.toContain('@example.com');
    expect((await act('GET', '/admin/logs/export?format=xml'))[0]).toBe(422);
  });

  test('tells of every wrong try, once that they were used up, and of no address', async () => {
    const user = await signUp(server);
    const stranger = browser(server.url);
    for (let n = 0; n < 18; n += 1) {
      await stranger.post(`/users/send/email/no/auth/${user.email}/login`, {
        password: 'wrong one',
      });
    }
    const actions = async () => (await logs(`?subject=${user.userId}`)).map(({ action }) => action);
    // The attempts are recorded after their responses.
    const wrong = 'user.wrong-password';
    await until(async () => (await actions()).filter((action) => action === wrong).length === 15);
    const others = (await actions()).filter((action) => action !== wrong);
    expect(others).toEqual(['user.locked', 'user.signed-up']);
  });

  test('tells of rolled keys and deleted files, and holds neither key nor token', async () => {
    const { user, bucket, fileId } = await owner();
    const rolled = await send('PUT', `/buckets/roll/api-key/${bucket.id}`, undefined, user);
    const { api_key } = (await rolled.json()) as { api_key: string };
    await fetch(`${server.url}/files/${bucket.id}/${fileId}`, {
      method: 'DELETE',
      headers: { 'x-api-key': api_key },
    });
    const [deleted] = await logs(`?subject=${fileId}`);
    expect(deleted).toMatchObject({
      action: 'file.deleted',
      section: 'files',
      actor: { kind: 'key', user: null, key_id: bucket.id },
    });
    expect((await logs(`?subject=${bucket.id}`))[0]?.action).toBe('bucket.key-rolled');
    const all = JSON.stringify(await server.db.selectFrom('audit_log').selectAll().execute());
    for (const secret of [api_key, bucket.api_key, user.token, PASSWORD]) {
      expect(all).not.toContain(secret);
    }
  });
});

test('the log tells of renamed buckets, of webhooks and their secrets, and of sessions that end', async () => {
  const user = await signUp(server);
  const bucket = await createBucket(server, user.token);
  const rename = (name: string, webhook: string) =>
    send('PUT', `/buckets/name/webhook/${bucket.id}`, { name, webhook }, user);
  await rename('Pictures', '');
  await rename('Photographs', '');
  const rolled = await send('PUT', `/buckets/roll/webhook-secret/${bucket.id}`, undefined, user);
  const { secret } = (await rolled.json()) as { secret: string };
  expect((await logs(`?subject=${bucket.id}`)).map(({ action }) => action)).toEqual([
    'bucket.webhook-secret-rolled',
    'bucket.changed',
    'bucket.created',
  ]);
  for (let attempt = 0; attempt < 2; attempt += 1) {
    expect((await send('POST', '/users/logout', undefined, user)).status).toBe(204);
  }
  const [latest] = await logs(`?subject=${user.userId}`);
  expect([latest?.action, latest?.actor.user?.id]).toEqual(['user.logged-out', user.userId]);
  expect(await logs(`?subject=${user.userId}`)).toHaveLength(2);
  const all = await server.db.selectFrom('audit_log').selectAll().execute();
  expect(JSON.stringify(all)).not.toContain(secret);
});
