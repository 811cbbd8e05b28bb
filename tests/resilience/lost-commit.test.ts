import { expect, test } from 'bun:test';
import { upstreamUnavailable } from '../../server/errors.ts';
import { form, listFiles, waitForFile } from '../support/client/api.ts';
import { locationOf } from '../support/client/tus.ts';
import { clip, photo } from '../support/fixtures/make-media.ts';
import { sharedBucketInProcess } from '../support/server/in-process-server.ts';

/*
 * The connection to the database breaks after a transaction is committed and before its response arrives.
 * The client gets 503 although the row of its upload exists, so the bytes must exist too.
 */

const { server, bucket } = await sharedBucketInProcess();

type CountedTable = 'files' | 'upload_parts' | 'derivatives';

/** Loses the response to the first transaction or batch that adds a row to `table` from now on. */
function loseNextResponse(table: CountedTable) {
  const { database } = server.services;
  const { transaction, batch } = database;
  const rows = async () => {
    const { fn } = database.db;
    const { count } = await database.db
      .selectFrom(table as 'files')
      .select(fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    return count;
  };
  const losing = async <Result>(run: () => Promise<Result>) => {
    const before = await rows();
    const result = await run();
    if ((await rows()) === before) return result;
    Object.assign(database, { transaction, batch });
    throw upstreamUnavailable(
      new Error('the connection broke'),
      'The database does not answer.',
      1000,
    );
  };
  database.transaction = (work) => losing(() => transaction(work));
  database.batch = (statements) => losing(() => batch(statements));
}

const headers = () => ({ 'x-api-key': bucket.api_key });

test('of an image that was committed without an answer, the original is there', async () => {
  loseNextResponse('files');
  const response = await fetch(`${server.url}/files/upload/image/${bucket.id}`, {
    method: 'POST',
    headers: headers(),
    body: form({ webp: 'yes' }, new Blob([(await photo()) as never])),
  });
  expect(response.status).toBe(503);
  const [file] = (await listFiles(server, bucket)).data;
  expect((await waitForFile(server, bucket, file?.id ?? '')).status).toBe('success');
});

test('of a file of another type that was committed without an answer, the bytes are there', async () => {
  loseNextResponse('files');
  const response = await fetch(`${server.url}/files/upload/file/${bucket.id}`, {
    method: 'POST',
    headers: headers(),
    body: form({ access: 'public' }, new Blob(['text']), 'plain.txt'),
  });
  expect(response.status).toBe(503);
  const file = (await listFiles(server, bucket)).data.find(({ name }) => name === 'plain.txt');
  expect(await (await fetch(file?.url ?? '')).text()).toBe('text');
});

test('a chunk that was counted without an answer is not lost when it is sent again', async () => {
  const body = () => {
    const fields = { client_id: 'lost', chunk_number: '0', total_chunks: '1' };
    return form(fields, new Blob([bytes]), 'clip.mp4');
  };
  const bytes = new Uint8Array(await clip());
  const send = () =>
    fetch(`${server.url}/files/upload/video/${bucket.id}`, {
      method: 'POST',
      headers: headers(),
      body: body(),
    });
  loseNextResponse('upload_parts');
  expect((await send()).status).toBe(503);
  const response = await send();
  expect(response.status).toBe(201);
  const { id } = (await response.json()) as { id: string };
  expect((await waitForFile(server, bucket, id)).status).toBe('success');
});

test('a part of a tus upload that was counted without an answer is there when the client goes on', async () => {
  const bytes = new Uint8Array(await photo());
  const tus = { ...headers(), 'tus-resumable': '1.0.0' };
  const created = await fetch(`${server.url}/files/tus/${bucket.id}`, {
    method: 'POST',
    headers: { ...tus, 'upload-length': String(bytes.length) },
  });
  const url = locationOf(created);
  loseNextResponse('upload_parts');
  const response = await fetch(url, {
    method: 'PATCH',
    headers: { ...tus, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' },
    body: bytes,
  });
  expect(response.status).toBe(503);
  const offsetResponse = await fetch(url, { method: 'HEAD', headers: tus });
  expect(offsetResponse.headers.get('upload-offset')).toBe(String(bytes.length));
  const [file] = (await listFiles(server, bucket)).data;
  expect((await waitForFile(server, bucket, file?.id ?? '')).status).toBe('success');
});

test('an image in another size that was committed without an answer is found the next time', async () => {
  const response = await fetch(`${server.url}/files/upload/image/${bucket.id}`, {
    method: 'POST',
    headers: headers(),
    body: form({}, new Blob([(await photo()) as never])),
  });
  const { id } = (await response.json()) as { id: string };
  const { url } = await waitForFile(server, bucket, id);
  loseNextResponse('derivatives');
  expect((await fetch(`${url}?width=20`)).status).toBe(503);
  const { db } = server;
  const row = await db.selectFrom('derivatives').selectAll().executeTakeFirstOrThrow();
  expect(await server.services.objects.open(row.prefix + row.name)).not.toBeNull();
  await server.services.housekeeping.round();
  expect((await fetch(`${url}?width=20`)).status).toBe(200);
  expect(await db.selectFrom('derivatives').selectAll().execute()).toMatchObject([{ id: row.id }]);
});
