import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { seeded } from '../../media/testing/mutations.ts';
import type { FileWire } from '../../server/contract/wire.ts';
import { createBucket, form, signUp, uploadImage } from '../support/client/api.ts';
import { photo } from '../support/fixtures/make-media.ts';
import { rounds } from '../support/fixtures/torture.ts';
import { fsck } from '../support/server/command.ts';
import { type ServerProcess, startServerProcess } from '../support/server/server-process.ts';

/*
 * kill -9 while files are replaced, copied, deleted and restored: each change is made whole or not at all, no acknowledged
 * one is lost, and what is counted is what is there.
 */

const KILLS = rounds(12, 3);
const PATHS = ['a.txt', 'b.txt', 'c.txt'];
const WRITERS = 6;
const UPLOADS_PER_KILL = 5;
/** After the uploads, so that a kill hits any step of the changes. */
const MAX_DELAY_MS = 30;
const random = seeded(47);

let server: ServerProcess;
afterAll(() => server?.stop());
beforeAll(async () => {
  server = await startServerProcess({ isQuick: true });
});

test('a kill during replacements, copies and restores leaves every change whole', async () => {
  const user = await signUp(server);
  const bucket = await createBucket(server, user.token);
  const key = { 'x-api-key': bucket.api_key };
  const send = (method: string, path: string, headers: Record<string, string> = key) =>
    fetch(`${server.url}${path}`, { method, headers });
  const set = await fetch(`${server.url}/buckets/retention/${bucket.id}`, {
    method: 'PUT',
    headers: { ...user.authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ keep_deleted_days: 7, keep_versions: 100 }),
  });
  expect(set.status).toBe(200);

  /** The ids of the uploads that were acknowledged. None may ever be lost, as nothing is purged. */
  const stored = new Set<string>();
  const put = async (path: string) => {
    const body = form({ path, on_conflict: 'replace' }, new Blob([path]), 'a.txt');
    const url = `${server.url}/files/upload/file/${bucket.id}`;
    const response = await fetch(url, { method: 'POST', body, headers: key });
    if (response.status === 201) stored.add(((await response.json()) as FileWire).id);
  };
  const known = () => [...stored][Math.floor(random() * stored.size)] ?? 'none';
  /** Most copies share the bytes of a file. Those of the image have objects of their own. */
  const copy = async (id: string, path: string) => {
    const response = await fetch(`${server.url}/files/copy/${bucket.id}/${id}`, {
      method: 'POST',
      headers: { ...key, 'content-type': 'application/json' },
      body: JSON.stringify({ path, on_conflict: 'replace' }),
    });
    if (response.status === 200) stored.add(((await response.json()) as FileWire).id);
  };
  const image = await uploadImage(server, bucket, new File([(await photo()) as never], 'a.jpg'));
  stored.add(image.id);
  const change = async () => {
    const kind = random();
    const path = PATHS[Math.floor(random() * PATHS.length)] ?? '';
    if (kind < 0.3) await put(path);
    else if (kind < 0.4) await copy(image.id, path);
    else if (kind < 0.5) await copy(known(), path);
    else if (kind < 0.65) await send('DELETE', `/files/${bucket.id}/${known()}`);
    else await send('POST', `/files/${bucket.id}/${known()}/restore?on_conflict=rename`);
  };
  const current = async () =>
    ((await (await send('GET', `/files/${bucket.id}`)).json()) as { data: FileWire[] }).data;

  for (let round = 0; round < KILLS; round += 1) {
    let isOver = false;
    const writers = Array.from({ length: WRITERS }, async () => {
      while (!isOver) await change().catch(() => Bun.sleep(10));
    });
    const enough = stored.size + UPLOADS_PER_KILL;
    while (stored.size < enough) await Bun.sleep(1);
    await Bun.sleep(random() * MAX_DELAY_MS);
    process.kill(server.pid(), 'SIGKILL');
    isOver = true;
    await Promise.all(writers);
    await server.restart('SIGKILL');
    const files = await current();
    expect(new Set(files.map(({ path }) => path)).size).toBe(files.length);
    for (const { url } of files) expect((await fetch(url ?? '')).status).toBe(200);
    expect(await fsck(server.dataDir)).toMatchObject({ findings: [], status: 0 });
  }
  // Whatever was acknowledged is current, a version, or in the trash with its versions.
  using database = new Database(`${server.dataDir}/wharf.db`, { readonly: true });
  const rows = database.query('select id from files').values().flat();
  expect([...stored].filter((id) => !rows.includes(id))).toEqual([]);
});
