import { expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { openDatabase, openDatabaseForReading } from '../../server/adapters/database.ts';
import { loadConfig } from '../../server/config/config.ts';
import { DAY, VIDEO_CHUNK_BYTES } from '../../server/contract/limits.ts';
import type { FileWire, SessionWire } from '../../server/contract/wire.ts';
import { form, listFiles, PASSWORD, waitForFile } from '../support/client/api.ts';
import { browser } from '../support/client/browser.ts';
import { readCode } from '../support/client/outbox.ts';
import { fsck } from '../support/server/command.ts';
import { startServer } from '../support/server/server.ts';
import { isOnPostgres, isOnS3 } from '../support/server/test-engine.ts';

/**
 * The data folder of a server built from commit 128dc85 that was killed: an account with credit, a photo, a
 * video that was being encoded, and two uploads in progress.
 */
const OLD = join(import.meta.dir, 'data-128dc85.tgz');
const EMAIL = 'ana@example.org';
const bucket = {
  id: '01m827df3h1heq8csszt80evgf',
  api_key: 'whf_mj1_N1lW9b1P_EDdMRpjAHn0_zdaPqzImLAB21SlJdo',
};
const IMAGE = '01m827df5ppqkbezx4nfj65r78';
const RUNNING_VIDEO = '01m827dg63p4hxq0a0ygfgqhn4';
const TUS_UPLOAD = '01m827dfsp6fqfpzyft08zwrzz';
/** It has the first bytes of a photo, and ends before that does. */
const TUS_LENGTH = 2000;
const TUS_OFFSET = 987;
/** The missing end of the upload in chunks, whose video ends in an empty box. */
const LAST_CHUNK = new Uint8Array(100_000);

/**
 * Extracts the folder and makes its unfinished uploads and results as young as they were when the server was
 * killed, as they would have expired. Returns its path.
 */
async function oldData(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'wharf-upgrade-'));
  const unpacked = Bun.spawnSync(['tar', '-xzf', OLD, '-C', dataDir, '--no-same-owner']);
  if (unpacked.exitCode !== 0) throw new Error(`${OLD}: ${unpacked.stderr}`);
  const database = await openDatabase(loadConfig({ DATA_DIR: dataDir }));
  const created_at = Date.now();
  const expires_at = created_at + DAY;
  // The tables still have their old names.
  for (const table of ['uploads', 'tus_uploads']) {
    await sql`update ${sql.table(table)} set created_at = ${created_at}, expires_at = ${expires_at}`.execute(
      database.db,
    );
  }
  await sql`update doomed set not_before = ${expires_at}`.execute(database.db);
  await database.close();
  return dataDir;
}

/** Returns the paths of all files, oldest first. */
async function pathsOf(dataDir: string): Promise<string[]> {
  const database = await openDatabaseForReading(loadConfig({ DATA_DIR: dataDir }).database);
  const rows = await database.db.selectFrom('files').select('path').orderBy('id').execute();
  await database.close();
  return rows.map(({ path }) => path);
}

test.skipIf(isOnPostgres || isOnS3)(
  'a new version goes on with the data folder of an older one that was killed at work',
  async () => {
    const dataDir = await oldData();
    const server = await startServer({}, { dataDir });
    try {
      const client = browser(server.url);
      const requestedAt = Date.now();
      const login = `/users/send/email/no/auth/${encodeURIComponent(EMAIL)}/login`;
      expect((await client.post(login, { password: PASSWORD })).status).toBe(204);
      const code = await readCode(server.outbox, EMAIL, requestedAt);
      const response = await client.post('/users/login', {
        email: EMAIL,
        password: PASSWORD,
        email_token: code,
      });
      const { token } = (await response.json()) as SessionWire;
      const authorization = { authorization: `Bearer ${token}` };
      const balance = await client.fetch('/users/balance', { headers: authorization });
      expect(((await balance.json()) as { credit: number }).credit).toBeWithin(0.9, 1.1);

      const image = await waitForFile(server, bucket, IMAGE);
      expect((await fetch(image.url ?? '')).headers.get('content-type')).toBe('image/webp');
      expect((await waitForFile(server, bucket, RUNNING_VIDEO)).status).toBe('success');

      const headers = { 'x-api-key': bucket.api_key };
      const fields = { client_id: 'half', chunk_number: '1', total_chunks: '2' };
      const uploaded = await fetch(`${server.url}/files/upload/video/${bucket.id}`, {
        method: 'POST',
        headers,
        body: form(fields, new Blob([LAST_CHUNK]), 'harbour.mp4'),
      });
      expect(uploaded.status).toBe(201);
      const file = await waitForFile(server, bucket, ((await uploaded.json()) as FileWire).id);
      expect(file).toMatchObject({
        status: 'success',
        access: 'private',
        size: VIDEO_CHUNK_BYTES + LAST_CHUNK.length,
      });
      const tus = await fetch(`${server.url}/files/tus/${bucket.id}/${TUS_UPLOAD}`, {
        method: 'HEAD',
        headers: { ...headers, 'tus-resumable': '1.0.0' },
      });
      expect(tus.headers.get('upload-offset')).toBe(String(TUS_OFFSET));
      const photo = join('storage/objects/o', bucket.id, IMAGE, 'original');
      const rest = Bun.file(join(dataDir, photo)).slice(TUS_OFFSET, TUS_LENGTH);
      const patched = await fetch(`${server.url}/files/tus/${bucket.id}/${TUS_UPLOAD}`, {
        method: 'PATCH',
        headers: {
          ...{ ...headers, 'tus-resumable': '1.0.0', 'upload-offset': String(TUS_OFFSET) },
          'content-type': 'application/offset+octet-stream',
        },
        body: await rest.bytes(),
      });
      expect(patched.status).toBe(204);
      const cut = await waitForFile(server, bucket, patched.headers.get('x-file-id') ?? '');
      expect(cut).toMatchObject({ file_type: 'image', size: TUS_LENGTH });
      expect((await listFiles(server, bucket)).data).toHaveLength(4);
      expect(await fsck(dataDir)).toMatchObject({ status: 0, findings: [] });
      // The upload in progress gets a path beside the older video of its name.
      const paths = ['harbour.jpg', 'harbour.mp4', 'harbour (2).mp4', 'image'];
      expect(await pathsOf(dataDir)).toEqual(paths);
    } finally {
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    }
  },
);
