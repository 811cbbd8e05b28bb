import { expect, test } from 'bun:test';
import { mkdtemp, readdir, rm, unlink, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openObjects } from '../../../server/adapters/objects.ts';
import { DAY, MIB, VIDEO_CHUNK_BYTES } from '../../../server/contract/limits.ts';
import type { FileWire } from '../../../server/contract/wire.ts';
import { createBucket, form, signUp, waitForFile } from '../../support/client/api.ts';
import { locationOf } from '../../support/client/tus.ts';
import { until } from '../../support/client/wait.ts';
import { clipOfSize, photo } from '../../support/fixtures/make-media.ts';
import { fsck, runCommand } from '../../support/server/command.ts';
import { migratedDatabase } from '../../support/server/engines.ts';
import { programName } from '../../support/server/program.ts';
import { sharedBucket, startServer } from '../../support/server/server.ts';
import { storedObjects } from '../../support/server/stored-objects.ts';
import { isOnPostgres } from '../../support/server/test-engine.ts';
import { startPostgres } from '../../support/services/postgres.ts';

const postgres = await startPostgres();
const { server, bucket } = await sharedBucket({ KEEP_VIDEO_ORIGINALS: 'yes' });

const post = (path: string, body: FormData) =>
  fetch(`${server.url}${path}/${bucket.id}`, {
    method: 'POST',
    headers: { 'x-api-key': bucket.api_key },
    body,
  });
const uploaded = async (response: Response) =>
  waitForFile(server, bucket, ((await response.json()) as FileWire).id);

async function objects(): Promise<string[]> {
  const root = join(server.dataDir, 'storage/objects');
  // The server may remove a folder while it is read.
  const entries = await until(() =>
    readdir(root, { recursive: true, withFileTypes: true }).catch(() => undefined),
  );
  return entries.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
}

async function tusImage(bytes: Uint8Array): Promise<string> {
  const headers = { 'x-api-key': bucket.api_key, 'tus-resumable': '1.0.0' };
  const created = await fetch(`${server.url}/files/tus/${bucket.id}`, {
    method: 'POST',
    headers: {
      ...headers,
      'upload-length': String(bytes.length),
      'upload-metadata': `webp ${btoa('yes')}`,
    },
  });
  let id = '';
  for (const [from, to] of [
    [0, 5000],
    [5000, bytes.length],
  ] as const) {
    const response = await fetch(locationOf(created), {
      method: 'PATCH',
      headers: {
        ...headers,
        'upload-offset': String(from),
        'content-type': 'application/offset+octet-stream',
      },
      body: bytes.slice(from, to) as never,
    });
    expect(response.status).toBe(204);
    id = response.headers.get('x-file-id') ?? '';
  }
  return id;
}

test('wharf fsck finds nothing beside a running server, whatever was uploaded and kept', async () => {
  const picture = await photo();
  const blob = new Blob([picture as never]);
  await uploaded(await post('/files/upload/image', form({ webp: 'yes' }, blob, 'a.jpg')));
  await uploaded(await post('/files/upload/image', form({ webp: '' }, blob, 'a.jpg')));
  const truncated = new Blob([picture.subarray(0, 300) as never]);
  await uploaded(await post('/files/upload/image', form({}, truncated, 'a.jpg')));
  await waitForFile(server, bucket, await tusImage(await photo()));

  const video = await clipOfSize(VIDEO_CHUNK_BYTES + MIB);
  const chunk = (number: number, id: string) => {
    const fields = { chunk_number: String(number), total_chunks: '2', client_id: id };
    const body = form({ ...fields, resolution: '320x180', timeline_preview: 'yes' });
    if (number === 0) body.append('thumbnail', blob, 'thumbnail.jpg');
    const from = number * VIDEO_CHUNK_BYTES;
    body.append(
      'file',
      new Blob([video.subarray(from, from + VIDEO_CHUNK_BYTES) as never]),
      'a.mp4',
    );
    return post('/files/upload/video', body);
  };
  expect((await chunk(0, 'open')).status).toBe(202);
  await chunk(0, 'whole');
  const stray = join(server.dataDir, 'storage/objects/u');
  const page = (
    await server.db
      .selectFrom('upload_sessions')
      .select('id')
      .where('client_id', '=', 'whole')
      .executeTakeFirstOrThrow()
  ).id;
  await Bun.write(join(stray, page, '1.left-by-a-crash'), 'x');
  await uploaded(await chunk(1, 'whole'));
  expect(await storedObjects(server, `u/${page}/`)).toEqual([]);

  expect(await fsck(server.dataDir)).toEqual({
    status: 0,
    findings: [],
    stdout: '',
    stderr: 'No problems found.\n',
  });
});

test('it tells what is wrong, a line each, and exits with 1', async () => {
  const poster = (await objects()).find((path) => path.endsWith('poster.webp')) ?? '';
  await unlink(poster);
  const stray = join(server.dataDir, 'storage/objects/f/nobody/nothing/x');
  await Bun.write(stray, 'xyz');
  const { status, stdout, stderr } = await fsck(server.dataDir, []);
  expect(status).toBe(1);
  expect(stdout.trim().split('\n').sort()).toEqual([
    expect.stringMatching(/^missing {3}f\/.*\/poster\.webp: missing object of the file \w{26}$/),
    expect.stringMatching(
      /^orphan {4}f\/nobody\/nothing\/: 1 object, 0\.00 KiB, not referenced by the database$/,
    ),
    expect.stringMatching(
      /^total {5}\w{26}: the database has \d+ bytes for the file, \d+ are stored$/,
    ),
  ]);
  expect(stderr).toBe('3 findings.\n');
  const asJson = await fsck(server.dataDir);
  expect([asJson.status, asJson.findings.map(({ kind }) => kind).sort()]).toEqual([
    1,
    ['missing', 'orphan', 'total'],
  ]);
  expect(await Bun.file(stray).exists()).toBe(true);

  await utimes(stray, new Date(), new Date(Date.now() - 2 * DAY));
  const removal = await fsck(server.dataDir, ['--json', '--remove-orphans']);
  expect(removal.findings.find(({ kind }) => kind === 'orphan')?.text).toEndWith(
    'scheduled for deletion',
  );
  const deletes = server.db.selectFrom('pending_deletes').select('prefix');
  expect(await deletes.where('prefix', '=', 'f/nobody/nothing/x').execute()).toHaveLength(1);
});

test('it finds each of the folders in a folder that is read in pieces', async () => {
  const folder = join(server.dataDir, 'storage/objects/f/large');
  // Long names make the folder large with few of them.
  const names = Array.from({ length: 600 }, (_, n) => `${'long-'.repeat(30)}${n}`);
  for (const name of names) await Bun.write(join(folder, name, 'x'), 'xyz');
  const { findings } = await fsck(server.dataDir);
  const found = findings.filter(({ subject }) => subject.startsWith('f/large/'));
  expect(found.map(({ subject }) => subject).sort()).toEqual(
    names.map((name) => `f/large/${name}/`).sort(),
  );
  await rm(folder, { recursive: true });
});

test.skipIf(!postgres)('it does the same where the rows are in PostgreSQL', async () => {
  const env = {
    DATABASE_URL: await migratedDatabase(postgres?.url ?? ''),
    APP_SECRET: 's'.repeat(32),
  };
  const other = await startServer(env);
  try {
    const theirs = await createBucket(other, (await signUp(other)).token);
    const response = await fetch(`${other.url}/files/upload/image/${theirs.id}`, {
      method: 'POST',
      headers: { 'x-api-key': theirs.api_key },
      body: form({ webp: 'yes' }, new Blob([(await photo()) as never]), 'a.jpg'),
    });
    const file = await waitForFile(other, theirs, ((await response.json()) as FileWire).id);
    const look = () => fsck(other.dataDir, ['--json'], env);
    expect(await look()).toMatchObject({ status: 0, findings: [] });
    await (await openObjects(other.config.storage)).deletePrefix(`f/${theirs.id}/${file.id}/`);
    const { status, findings } = await look();
    expect([status, findings.map(({ kind }) => kind).sort()]).toEqual([1, ['missing', 'total']]);
  } finally {
    await other.stop();
  }
});

// The tests create the PostgreSQL database themselves, so it is never missing.
test.skipIf(isOnPostgres)(
  'it exits with 2, and makes nothing, where there is nothing to look at',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'wharf-nothing-'));
    const missing = await fsck(join(folder, 'data'), []);
    expect([missing.status, missing.stdout]).toEqual([2, '']);
    expect(missing.stderr).toStartWith('No database found at');
    expect(missing.stderr.trim().split('\n')).toHaveLength(1);
    expect(await readdir(folder)).toEqual([]);
    const wrong = await fsck(server.dataDir, ['--repair']);
    expect([wrong.status, wrong.stderr.includes('--repair')]).toEqual([2, true]);
    await rm(folder, { recursive: true });
  },
);

test('the program names its commands, and refuses one it does not know', async () => {
  const run = (...args: string[]) => runCommand(args, {});
  for (const args of [['--help'], ['help']]) {
    const { status, stdout } = await run(...args);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^ {2}serve .*\n(.+\n)* {2}fsck /m);
  }
  for (const args of [
    ['fsck', '--help'],
    ['fsck', '-h'],
    ['help', 'fsck'],
  ]) {
    const { status, stdout } = await run(...args);
    expect(status).toBe(0);
    expect(stdout).toStartWith(`Usage: ${programName} fsck [--json] [--remove-orphans]\n`);
    expect(stdout).toContain('Exits with 0');
  }
  expect(await run('fly')).toMatchObject({
    status: 2,
    stdout: '',
    stderr: expect.stringContaining('Unknown command'),
  });
});
