import { expect } from 'bun:test';
import type { FileEvent } from '../../server/contract/events.ts';
import type { BucketDetailWire } from '../../server/contract/wire.ts';
import { until } from '../support/client/until.ts';
import { clip, photo } from '../support/fixtures/media.ts';
import { APP_URL } from '../support/server/scaled.ts';
import { at, type ScaledUser, scaledUser, uploadAt } from '../support/server/scaled-user.ts';

const SIZE = '160x90';
const TIMEOUT_MS = 30_000;

/** What users reach: one address, and the outboxes of the processes behind it. */
export type Front = { url: string; outbox: string[] };

/** Sends a request for APP_URL to the front. Throws where the same is to be sent again. */
export const sender =
  (front: Front) =>
  async (url: string, init: RequestInit = {}) => {
    const answer = await fetch(at(front, url), {
      ...init,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    // Wharf's own word for what it needs being away, and nginx' for Wharf.
    if ([502, 503, 504].includes(answer.status)) throw new Error(`away: ${answer.status}`);
    return answer;
  };

/** Somebody who signs up at the front. */
export const newUser = (front: Front) => scaledUser({ webs: [front], send: sender(front) });

/** Uploads a private image as WebP and a video, hears of both, and opens them as a browser would. */
export async function doMainJob(front: Front, user: ScaledUser, bucket: BucketDetailWire) {
  const heard: FileEvent[] = [];
  const socket = await user.listen(front, heard);
  const fields = { access: 'private', webp: 'yes' };
  const image = await uploadAt(front, bucket, 'image', fields, await photo());
  const movie = await clip({ seconds: 2 });
  const video = await uploadAt(front, bucket, 'video', { resolution: SIZE }, movie);
  const done = {
    image: await user.settled(bucket, image.id),
    video: await user.settled(bucket, video.id),
  };
  expect(done).toMatchObject({ image: { status: 'success' }, video: { status: 'success' } });

  const picture = at(front, done.image.url);
  expect((await fetch(picture)).status).toBe(401);
  const opened = await fetch(`${picture}?jwt=${done.image.jwt}`);
  expect([opened.status, opened.headers.get('content-type')]).toEqual([200, 'image/webp']);
  expect((await opened.bytes()).length).toBeGreaterThan(100);
  await playThrough(at(front, done.video.url));

  for (const { id } of [image, video]) {
    await until(async () => heard.some((one) => one.type === 'file.success' && one.fileId === id));
  }
  socket.close();
  return `${APP_URL}${new URL(done.image.url ?? '').pathname}?jwt=${done.image.jwt}`;
}

/** Follows a playlist to the last of what it names. */
async function playThrough(url: string) {
  const answer = await fetch(url);
  expect(answer.status).toBe(200);
  if (!/mpegurl/i.test(answer.headers.get('content-type') ?? '')) {
    expect((await answer.bytes()).length).toBeGreaterThan(100);
    return;
  }
  const named = (await answer.text()).split('\n').filter((line) => line && !line.startsWith('#'));
  expect(named).not.toEqual([]);
  for (const one of named) await playThrough(new URL(one, url).href);
}
