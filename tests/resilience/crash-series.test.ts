import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { seeded } from '../../media/testing/mutations.ts';
import { MIB, VIDEO_CHUNK_BYTES } from '../../server/contract/limits.ts';
import { createBucket, signUp } from '../support/client/api.ts';
import { stubbornClient } from '../support/client/stubborn-client.ts';
import { until } from '../support/client/wait.ts';
import { clipOfSize, photo } from '../support/fixtures/make-media.ts';
import { rounds } from '../support/fixtures/torture.ts';
import { fsck } from '../support/server/command.ts';
import { type ServerProcess, startServerProcess } from '../support/server/server-process.ts';

const ROUNDS = rounds(20, 1);
/** Milliseconds from the first upload to the end of the last encode, when nothing is killed. */
const SPAN = 5000;
const random = seeded(7);
const MOMENTS = Array.from({ length: ROUNDS }, () => Math.floor(random() * SPAN));
const FILES = 13;
const SIZES = '320x180,160x90';
/**
 * The pending deletes whose objects are not deleted yet. A tus upload whose client never got the response,
 * because the kill came first, waits for it for a day and is empty.
 */
const LEFT_OVER = `select prefix from pending_deletes where deleted_at is null and prefix not in
  (select 'u/' || id || '/' from upload_sessions where protocol = 'tus' and file_id is null and received = 0)
  and prefix not glob 'u/*/[0-9]*.*'`;

let server: ServerProcess;
let token: string;

afterAll(() => server?.stop());
beforeAll(async () => {
  server = await startServerProcess({
    isQuick: true,
    env: { WEBHOOK_ALLOW_PRIVATE: 'yes', LOG_LEVEL: 'error' },
  });
  ({ token } = await signUp(server));
});

/** Creates a bucket whose webhook goes to a closed port, so that its deliveries record what has happened. */
async function makeBucket(name: string) {
  const bucket = await createBucket(server, token, name);
  const response = await fetch(`${server.url}/buckets/name/webhook/${bucket.id}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name, webhook: 'http://127.0.0.1:9/' }),
  });
  expect(response.status).toBe(200);
  return bucket;
}

function rows<Row>(query: string, ...parameters: string[]): Row[] {
  const database = new Database(join(server.dataDir, 'wharf.db'), { readonly: true });
  try {
    return database.query(query).all(...parameters) as Row[];
  } finally {
    database.close();
  }
}

async function killAndLookBefore(restart: ServerProcess['restart']) {
  process.kill(server.pid(), 'SIGKILL');
  // Findings are expected here, but the audit itself must not fail.
  expect((await fsck(server.dataDir)).status).toBeLessThan(2);
  await restart('SIGKILL');
}

test.each(MOMENTS)(
  'kill -9 after %d ms of many uploads: all that was acknowledged is there, every file succeeds once, nothing is left',
  async (moment) => {
    const bucket = await makeBucket(`After ${moment} ms`);
    const client = stubbornClient({ url: server.url, bucket });
    const film = await clipOfSize(VIDEO_CHUNK_BYTES + MIB);
    const short = await clipOfSize(MIB);
    const picture = await photo();

    const uploads = [
      ...[1, 2, 3].map((n) => client.chunked(film, `chunked-${n}`, SIZES)),
      ...[1, 2, 3].map(() => client.tus(short, SIZES)),
      ...[1, 2, 3, 4].map((n) => client.image(picture, `photo-${n}.jpg`)),
      ...[1, 2, 3].map((n) => client.file(short, `plain-${n}.bin`)),
    ];
    const all = Promise.all(uploads);
    all.catch(() => {});
    await Bun.sleep(moment);
    await killAndLookBefore(server.restart);
    await all;

    const files = await until(async () => {
      const listed = await client.list();
      return listed.every((file) => file.status !== 'processing') && listed;
    });
    expect(files.map(({ status, error }) => ({ status, error }))).toEqual(
      Array.from({ length: FILES }, () => ({ status: 'success' as const, error: null })),
    );

    // The server starts once more, because each start deletes what the one before has left.
    await server.restart();
    await until(async () => rows(LEFT_OVER).length === 0);
    for (const { id, file_type } of files) {
      const jobs = file_type === 'file' ? [] : [{ state: 'done' }];
      expect(rows('select state from jobs where subject = ?', id)).toEqual(jobs);
      const deliveries = rows<{ type: string }>(
        "select type from webhook_deliveries where json_extract(body, '$.data.file.id') = ?",
        id,
      );
      expect(
        deliveries.map(({ type }) => type).filter((type) => type === 'file.success'),
      ).toHaveLength(1);
    }
    expect(await fsck(server.dataDir)).toMatchObject({ findings: [], status: 0 });
    const entries = (name: string) => readdir(join(server.dataDir, name)).catch(() => []);
    for (const name of ['storage/tmp', 'storage/objects/u'])
      expect(await entries(name)).toEqual([]);
    // The last decoder stays for some seconds.
    await until(async () => (await entries('work')).length === 0);
  },
);
