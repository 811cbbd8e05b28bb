import { afterAll, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBucket, listFiles, signUp } from '../../support/client/api.ts';
import { groupServer } from '../../support/server/group-server.ts';

const PHOTO = join(import.meta.dir, '../../../server/features/landing/red-panda.jpg');

const server = await groupServer();
const user = await signUp(server);
const folder = await mkdtemp(join(tmpdir(), 'wharf-empty-bucket-'));
afterAll(() => rm(folder, { recursive: true }));

const pageOf = async (id: string, query = '') =>
  (await user.client.fetch(`/dashboard/files/${id}${query}`)).text();

const commandIn = async (html: string) => {
  const keys: string[] = [];
  await new HTMLRewriter()
    .on('button[data-copy]', { element: (button) => void keys.push(textOf(button)) })
    .transform(new Response(html))
    .text();
  return keys.find((text) => text.startsWith('curl '));
};
const textOf = (button: HTMLRewriterTypes.Element) =>
  (button.getAttribute('data-copy') ?? '').replaceAll('&quot;', '"');

test('the page of an empty bucket shows a command for curl, without its key', async () => {
  const bucket = await createBucket(server, user.token);
  const html = await pageOf(bucket.id);
  const command = await commandIn(html);
  expect(command).toContain('Bearer $API_KEY');
  expect(html).not.toContain(bucket.api_key);
});

test.skipIf(!Bun.which('curl'))(
  'curl runs the command of that page, which is then gone',
  async () => {
    const bucket = await createBucket(server, user.token);
    const command = await commandIn(await pageOf(bucket.id));
    await Bun.write(join(folder, 'photo.jpg'), Bun.file(PHOTO));
    const run = Bun.spawn(['sh', '-c', `${command} --fail --silent`], {
      cwd: folder,
      env: { PATH: process.env.PATH, API_KEY: bucket.api_key },
    });
    expect(await run.exited).toBe(0);
    expect((await listFiles(server, bucket)).data).toMatchObject([
      { name: 'photo.jpg', access: 'public' },
    ]);
    expect(await commandIn(await pageOf(bucket.id))).toBeUndefined();
  },
);

test('where it is the filters that leave nothing, no command is shown', async () => {
  const bucket = await createBucket(server, user.token);
  const html = await pageOf(bucket.id, '?file_type=video');
  expect(html).toContain('No files here.');
  expect(await commandIn(html)).toBeUndefined();
});
