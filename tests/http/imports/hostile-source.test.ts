import { afterAll, expect, test } from 'bun:test';
import { KIB, MIB } from '../../../server/contract/limits.ts';
import type { FilePageWire, S3ImportWire } from '../../../server/contract/wire.ts';
import { createBucket, signUp } from '../../support/client/api.ts';
import { findingsOf } from '../../support/server/findings.ts';
import { sharedServerInProcess } from '../../support/server/in-process-server.ts';
import { startFileSource } from '../../support/services/file-source.ts';

/* An S3 server that lies about its objects, to gain what an upload of the same account would not get. */

const server = await sharedServerInProcess({ WEBHOOK_ALLOW_PRIVATE: 'yes' });
const { imports } = server.services;
const source = await startFileSource();
afterAll(() => source.stop());

type Listed = { key: string; size: number; etag: string };
const listOf = (entries: Listed[]) =>
  `<ListBucketResult><IsTruncated>false</IsTruncated>${entries
    .map(
      ({ key, size, etag }) =>
        `<Contents><Key>${key}</Key><Size>${size}</Size><ETag>"${etag}"</ETag></Contents>`,
    )
    .join('')}</ListBucketResult>`;

type Limits = { ofAccount?: number; ofBucket?: number };

/** Imports what a server lists into a new bucket, which, or whose account, can have a limit of what it stores. */
async function imported(name: string, entries: Listed[], { ofAccount, ofBucket }: Limits = {}) {
  const user = await signUp(server);
  const bucket = await createBucket(server, user.token);
  const headers = { ...user.authorization, 'content-type': 'application/json' };
  const rules = { allowed_types: [], max_file_bytes: null, storage_limit: ofBucket ?? null };
  await fetch(`${server.url}/buckets/upload-rules/${bucket.id}`, {
    ...{ method: 'PUT', headers, body: JSON.stringify(rules) },
  });
  await server.db
    .updateTable('users')
    .set({ max_bytes: ofAccount ?? null })
    .where('id', 'in', (from) =>
      from.selectFrom('buckets').select('user_id').where('id', '=', bucket.id),
    )
    .execute();
  source.serve(`/${name}/`, (response, request) => {
    const query = new URL(request.url ?? '', source.url).searchParams;
    const rest = entries.filter(({ key }) => key > (query.get('start-after') ?? ''));
    response.end(listOf(rest.slice(0, Number(query.get('max-keys')))));
  });
  const keys = { access_key_id: 'key', secret_access_key: 'secret' };
  const started = await fetch(`${server.url}/files/s3-imports/${bucket.id}`, {
    ...{ method: 'POST', headers },
    body: JSON.stringify({ endpoint: source.url, bucket: name, ...keys }),
  });
  const text = await started.text();
  expect([started.status, text]).toEqual([202, expect.any(String)]);
  await imports.settle();
  const get = async (path: string) => (await fetch(`${server.url}${path}`, { headers })).json();
  return {
    done: (await get(`/files/s3-imports/${bucket.id}/${JSON.parse(text).id}`)) as S3ImportWire,
    files: ((await get(`/files/${bucket.id}?limit=50`)) as FilePageWire).data,
  };
}

test.each([
  ['account', 1, { ofAccount: MIB }],
  ['account', -1_000_000_000, { ofAccount: MIB }],
  ['bucket', 1, { ofBucket: MIB }],
] as const)(
  'is left once the %s is full, where it lists an object with %d bytes and sends more and more',
  async (full, size, limits) => {
    const name = `${full}-liar${Math.abs(size)}`;
    let sent = 0;
    source.serve(`/${name}/a`, (response) => {
      const piece = Buffer.alloc(64 * KIB);
      const pump = () => {
        while (!response.destroyed && sent < 96 * MIB) {
          sent += piece.byteLength;
          if (!response.write(piece)) return;
        }
        response.end();
      };
      response.on('drain', pump);
      pump();
    });
    const { done, files } = await imported(name, [{ key: 'a', size, etag: 'e' }], limits);
    expect(files).toEqual([]);
    expect(done).toMatchObject({
      ...{ status: 'failed', copied: 0, bytes: 0, error: expect.stringContaining('storage limit') },
    });
    // What the sockets hold is sent too.
    expect(sent).toBeLessThan(48 * MIB);
    expect(await findingsOf(server.config)).toEqual([]);
  },
  600_000,
);

test('has its list refused where a key is longer than S3 allows, and nothing of it is kept', async () => {
  source.serve('/long/a', 'x');
  const { done, files } = await imported('long', [
    ...['a', 'b'.repeat(MIB)].map((key) => ({ key, size: 1, etag: 'e' })),
  ]);
  expect(files).toEqual([]);
  expect(done).toMatchObject({ status: 'failed', failures: [] });
  const rows = await server.db.selectFrom('s3_imports').select('position').execute();
  for (const { position } of rows) expect(position.length).toBeLessThanOrEqual(1024);
});

test('does not give a file an ETag of any length', async () => {
  source.serve('/tagged/a', 'x');
  const { done } = await imported('tagged', [{ key: 'a', size: 1, etag: 'e'.repeat(8 * KIB) }]);
  expect(done).toMatchObject({ status: 'completed', copied: 1 });
  const rows = await server.db.selectFrom('blobs').select('etag').execute();
  for (const { etag } of rows) expect((etag ?? '').length).toBeLessThan(200);
});
