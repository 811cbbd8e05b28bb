import { afterAll, describe, expect, test } from 'bun:test';
import { KIB, MIB, VIDEO_CHUNK_BYTES } from '../../../server/contract/limits.ts';
import type { AdminUserDetailWire, FileWire } from '../../../server/contract/wire.ts';
import { createBucket, form, signUp, waitForFile } from '../../support/client/api.ts';
import { speakTus } from '../../support/client/tus.ts';
import { ADMIN, withAdmin } from '../../support/fixtures/admin-fixture.ts';
import { clip, photo } from '../../support/fixtures/make-media.ts';
import { startServer } from '../../support/server/server.ts';

const SERVER_LIMIT = 100 * MIB;
const { server, send, get, act, logs } = await withAdmin(
  await startServer({ ADMIN_EMAIL: ADMIN, ACCOUNT_MAX_BYTES: String(SERVER_LIMIT) }),
);
afterAll(() => server.stop());

async function openAccount() {
  const user = await signUp(server);
  const bucket = await createBucket(server, user.token);
  const post = (path: string, body: FormData) =>
    fetch(`${server.url}${path}/${bucket.id}`, {
      method: 'POST',
      headers: { 'x-api-key': bucket.api_key },
      body,
    });
  const image = (bytes: Uint8Array) =>
    post('/files/upload/image', form({}, new Blob([bytes as never]), 'a.jpg'));
  const chunk = (bytes: Uint8Array, total: number) => {
    const fields = { client_id: 'a', chunk_number: '0', total_chunks: String(total) };
    return post('/files/upload/video', form(fields, new Blob([bytes as never]), 'a.mp4'));
  };
  const storage = () =>
    get<{ stored: number; unfinished: number; limit: number }>('/users/storage', user);
  const limit = (max_bytes: unknown) =>
    act('PUT', `/admin/users/${user.userId}/storage-limit`, { max_bytes });
  return { user, bucket, image, chunk, storage, limit, tus: speakTus(server, bucket) };
}

describe('the storage limit of an account', () => {
  test('is that of all accounts until the admin sets another one, which is logged', async () => {
    const { user, storage, limit } = await openAccount();
    expect(await storage()).toEqual({ stored: 0, unfinished: 0, limit: SERVER_LIMIT });
    expect(await limit(5 * MIB)).toEqual([204, '']);
    expect(await limit(5 * MIB)).toEqual([204, '']);
    expect(await storage()).toMatchObject({ limit: 5 * MIB });
    expect(await get<AdminUserDetailWire>(`/admin/users/${user.userId}`)).toMatchObject({
      max_bytes: 5 * MIB,
      storage: { stored: 0, unfinished: 0, limit: 5 * MIB },
    });
    expect(await limit(null)).toEqual([204, '']);
    expect(await storage()).toMatchObject({ limit: SERVER_LIMIT });
    const entries = await logs(`?subject=${user.userId}&section=users`);
    const changes = entries.filter(({ action }) => action === 'user.changed-storage-limit');
    expect(changes.map(({ actor, details }) => [actor.user?.email, details])).toEqual([
      [ADMIN, { before: 5 * MIB, bytes: null }],
      [ADMIN, { before: null, bytes: 5 * MIB }],
    ]);
  });

  test.each([-1, 1.5, '5', 2 ** 51, undefined])('can not be %p', async (value) => {
    const { storage, limit } = await openAccount();
    expect((await limit(value))[0]).toBe(422);
    expect(await storage()).toMatchObject({ limit: SERVER_LIMIT });
  });

  test('is set by nobody but the admin, and for no unknown account', async () => {
    const { user } = await openAccount();
    const path = `/admin/users/${user.userId}/storage-limit`;
    expect((await send('PUT', path, { max_bytes: null }, user)).status).toBe(403);
    const unknown = '/admin/users/01jjjjjjjjjjjjjjjjjjjjjjjj/storage-limit';
    expect((await act('PUT', unknown, { max_bytes: 1 }))[0]).toBe(404);
  });

  test('holds for every way to upload, and a deletion makes room at once', async () => {
    const { bucket, image, chunk, storage, limit, tus } = await openAccount();
    const padded = Buffer.concat([await photo(), Buffer.alloc(400 * KIB)]);
    const video = await clip({ seconds: 1 });
    const accepted = await image(padded);
    const { id } = (await accepted.json()) as FileWire;
    await waitForFile(server, bucket, id);
    const { stored } = await storage();
    await limit(stored + 300 * KIB);

    const refused = [await image(padded), await chunk(video, 1), await tus.create(301 * KIB)];
    for (const response of refused) {
      expect([response.status, await response.text()]).toEqual([
        403,
        expect.stringContaining("This upload would exceed the account's storage limit of"),
      ]);
    }
    expect(refused[0]?.headers.get('x-error-code')).toBe('quota-exceeded');
    expect((await image(await photo({ width: 64, height: 64 }))).status).toBe(201);

    const headers = { 'x-api-key': bucket.api_key };
    const path = `${server.url}/files/${bucket.id}/${id}`;
    expect((await fetch(path, { method: 'DELETE', headers })).status).toBe(204);
    expect((await tus.create(300 * KIB)).status).toBe(201);
  });

  test('is not exceeded by eight uploads at once', async () => {
    const { image, chunk, limit } = await openAccount();
    const padded = Buffer.concat([await photo(), Buffer.alloc(MIB)]);
    await limit(3.5 * MIB);
    const images = await Promise.all(Array.from({ length: 8 }, () => image(padded)));
    const statuses = images.map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).not.toHaveLength(0);
    expect(statuses.every((status) => status === 201 || status === 403)).toBe(true);
    expect(statuses.filter((status) => status === 201).length).toBeLessThanOrEqual(3);
    await limit(2 * VIDEO_CHUNK_BYTES - 1);
    expect((await chunk(await clip({ seconds: 1 }), 2)).status).toBe(403);
  });
});
