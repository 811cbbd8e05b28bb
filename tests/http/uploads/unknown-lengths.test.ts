import { describe, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { KIB, MIB, VIDEO_CHUNK_BYTES } from '../../../server/contract/limits.ts';
import type { FileWire } from '../../../server/contract/wire.ts';
import { createBucket, form, signUp } from '../../support/client/api.ts';
import { locationOf, speakTus } from '../../support/client/tus.ts';
import { until } from '../../support/client/wait.ts';
import { clipOfSize, photo } from '../../support/fixtures/make-media.ts';
import { sharedServer } from '../../support/server/server.ts';

const LIMIT = 40 * MIB;
const server = await sharedServer({ ACCOUNT_MAX_BYTES: String(LIMIT) });
const { db } = server;

/** Returns an account with calls that send a body in chunks, without its length. */
async function openAccount() {
  const user = await signUp(server);
  const bucket = await createBucket(server, user.token);
  const post = async (path: string, fields: FormData) => {
    const whole = new Response(fields);
    return fetch(`${server.url}${path}/${bucket.id}`, {
      method: 'POST',
      headers: {
        'x-api-key': bucket.api_key,
        'content-type': whole.headers.get('content-type') ?? '',
      },
      // fetch would tell the length of the form itself.
      body: whole.body?.pipeThrough(new TransformStream()) ?? null,
    });
  };
  const image = (bytes: Uint8Array) =>
    post('/files/upload/image', form({}, new Blob([bytes as never]), 'a.jpg'));
  const reservations = async () => {
    const rows = await db
      .selectFrom('pending_deletes')
      .select('reserved_bytes')
      .where('user_id', '=', user.userId)
      .execute();
    return rows.map((row) => Number(row.reserved_bytes));
  };
  return { user, bucket, post, image, reservations };
}

/** A photo with so many bytes more after its end, which every decoder ignores. */
const photoOf = async (bytes: number) => Buffer.concat([await photo(), randomBytes(bytes)]);
const statusAndCode = ({ status, headers }: Response) => [status, headers.get('x-error-code')];

describe('an upload that does not say its length', () => {
  test('is accepted where it fits, although the largest one would not', async () => {
    const { image, reservations } = await openAccount();
    const small = await image(await photoOf(10 * KIB));
    expect([small.status, await small.text()]).toEqual([201, expect.any(String)]);
    const large = await image(await photoOf(20 * MIB));
    expect(large.status).toBe(201);
    expect(((await large.json()) as FileWire).size).toBeGreaterThan(20 * MIB);
    await until(async () => (await reservations()).length === 0);
  });

  test('is refused once it exceeds the limit, and leaves nothing reserved', async () => {
    const { image, reservations } = await openAccount();
    expect(statusAndCode(await image(await photoOf(45 * MIB)))).toEqual([403, 'quota-exceeded']);
    await until(async () => (await reservations()).length === 0);
    expect((await image(await photoOf(10 * KIB))).status).toBe(201);
  });

  test('is refused past 50 MiB whatever the limit', async () => {
    const { user, image } = await openAccount();
    await db
      .updateTable('users')
      .set({ max_bytes: 200 * MIB })
      .where('id', '=', user.userId)
      .execute();
    expect(statusAndCode(await image(await photoOf(51 * MIB)))).toEqual([413, 'too-large']);
  });

  test('can be a thumbnail of a video', async () => {
    const { post, reservations } = await openAccount();
    const video = await clipOfSize(VIDEO_CHUNK_BYTES + 1000);
    const chunk = video.subarray(0, VIDEO_CHUNK_BYTES);
    const body = form({ client_id: 'a', chunk_number: '0', total_chunks: '2' });
    body.append('thumbnail', new Blob([(await photoOf(10 * KIB)) as never]), 't.jpg');
    body.append('file', new Blob([chunk as never]), 'a.mp4');
    expect((await post('/files/upload/video', body)).status).toBe(202);
    const [reserved = 0] = await reservations();
    expect(reserved).toBeGreaterThan(2 * VIDEO_CHUNK_BYTES + 10 * KIB);
    expect(reserved).toBeLessThan(2 * VIDEO_CHUNK_BYTES + MIB);
  });

  test('can come by tus, and reserves as its bytes arrive', async () => {
    const { bucket, reservations } = await openAccount();
    const tus = speakTus(server, bucket);
    const whole = await photoOf(10 * KIB);
    const location = locationOf(
      await tus.call('POST', tus.endpoint, { 'upload-defer-length': '1' }),
    );
    expect((await tus.patch(location, 0, whole.subarray(0, 5000))).status).toBe(204);
    const [reserved = 0] = await reservations();
    expect(reserved).toBeGreaterThanOrEqual(5000);
    expect(reserved).toBeLessThan(MIB);
    const length = { 'upload-length': String(whole.length) };
    expect((await tus.patch(location, 5000, whole.subarray(5000), length)).status).toBe(204);
  });
});
