import { expect, test } from 'bun:test';
import type { HomeSummary } from '../../../server/contract/home/summary.ts';
import { createBucket, signUp, uploadFile } from '../../support/client/api.ts';
import { photo } from '../../support/fixtures/make-media.ts';
import { sharedBucketInProcess } from '../../support/server/in-process-server.ts';

const { server, user, bucket } = await sharedBucketInProcess();

const summaryOf = async ({ authorization }: { authorization: Record<string, string> }) => {
  const response = await fetch(`${server.url}/users/summary`, { headers: authorization });
  expect(response.status).toBe(200);
  return (await response.json()) as HomeSummary;
};

test('the summary of an account has its files and requests, and nothing of another account', async () => {
  const stranger = await signUp(server);
  const theirs = await createBucket(server, stranger.token, 'Theirs');
  const fields = { access: 'public' };
  await uploadFile(server, theirs, 'image', fields, await photo(), 'theirs.jpg');
  const before = await summaryOf(user);
  const file = await uploadFile(server, bucket, 'image', fields, await photo(), 'mine.jpg');
  expect((await fetch(file.url ?? '')).status).toBe(200);
  await server.services.usage.flush();

  const summary = await summaryOf(user);
  expect(summary.recent[0]).toMatchObject({ name: 'mine.jpg', bucket_id: bucket.id });
  expect(summary.storage.files).toBe(before.storage.files + 1);
  const requests = (of: HomeSummary) => of.months?.requests.days.at(-1) ?? 0;
  expect(requests(summary)).toBe(requests(before) + 1);
  expect(JSON.stringify(summary)).not.toContain('theirs.jpg');
  expect((await summaryOf(stranger)).storage.files).toBe(1);
});
