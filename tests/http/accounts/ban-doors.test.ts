import { expect, test } from 'bun:test';
import type { FileWire } from '../../../server/contract/wire.ts';
import { createBucket, form, signUp, waitForFile } from '../../support/client/api.ts';
import { locationOf } from '../../support/client/tus.ts';
import { clip, photo } from '../../support/fixtures/make-media.ts';
import { sharedServer } from '../../support/server/server.ts';

const ADMIN = 'admin@example.com';
const server = await sharedServer({ ADMIN_EMAIL: ADMIN });
const admin = await signUp(server, ADMIN);

const video = new Uint8Array(await clip());
const image = new Uint8Array(await photo({ width: 64, height: 48 }));

/** Returns every way to access a bucket and its files, as calls that return a status. */
async function doors() {
  const user = await signUp(server);
  const bucket = await createBucket(server, user.token);
  const key = { 'x-api-key': bucket.api_key };
  const at = (path: string) => (path.startsWith('http') ? path : server.url + path);
  const statusOf = async (path: string, init: RequestInit = {}) =>
    (await fetch(at(path), init)).status;
  const postStatus = (path: string, body: BodyInit, headers: Record<string, string> = key) =>
    statusOf(path, { method: 'POST', headers, body });

  const upload = async (access: string) => {
    const response = await fetch(at(`/files/upload/image/${bucket.id}`), {
      method: 'POST',
      headers: key,
      body: form({ access, webp: '' }, new Blob([image]), 'a.jpg'),
    });
    const { id } = (await response.json()) as FileWire;
    return (await waitForFile(server, bucket, id)).url ?? '';
  };
  const [open, shut] = [await upload('public'), await upload('private')];
  const mint = async (scope: string) => {
    const path = at(`/buckets/jwt/${bucket.id}/0/${scope}`);
    const response = await fetch(path, {
      method: 'POST',
      headers: { ...key, 'content-type': 'application/json' },
      body: '{}',
    });
    return ((await response.json()) as { jwt: string }).jwt;
  };
  const [read, write] = [await mint('read'), await mint('write')];

  const tus = { ...key, 'tus-resumable': '1.0.0' };
  const created = await fetch(at(`/files/tus/${bucket.id}`), {
    method: 'POST',
    headers: { ...tus, 'upload-length': String(video.length) },
  });
  const tusUrl = locationOf(created);
  let offset = 0;
  const goOn = async () => {
    const response = await fetch(at(tusUrl), {
      method: 'PATCH',
      headers: {
        ...tus,
        'upload-offset': String(offset),
        'content-type': 'application/offset+octet-stream',
      },
      body: video.subarray(offset, offset + 1000),
    });
    if (response.ok) offset += 1000;
    return response.status;
  };
  const picture = () => form({ access: 'public', webp: '' }, new Blob([image]), 'a.jpg');
  const chunk = (client: string) =>
    form(
      { chunk_number: '1', total_chunks: '2', client_id: client, access: 'public', resolution: '' },
      new Blob([video.subarray(0, 1000)]),
      'a.mp4',
    );
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

  const attempts: Record<string, () => Promise<number>> = {
    'a public file': () => statusOf(open),
    'a public file, of which a part is asked for': () =>
      statusOf(open, { headers: { range: 'bytes=0-9' } }),
    'a public file, only asked after': () => statusOf(open, { method: 'HEAD' }),
    'a private file with a read token': () => statusOf(`${shut}?jwt=${read}`),
    'an image in another size': () => statusOf(`${open}?width=32`),
    'an image in another size that nobody asked for before': () =>
      statusOf(`${open}?width=${16 + Math.floor(Math.random() * 40)}`),
    'the list of files, with the key': () => statusOf(`/files/${bucket.id}`, { headers: key }),
    'an upload with the key': () => postStatus(`/files/upload/image/${bucket.id}`, picture()),
    'an upload with a write token': () =>
      postStatus(`/files/upload/image/${bucket.id}`, picture(), bearer(write)),
    'an upload with the session': () =>
      postStatus(`/files/upload/image/${bucket.id}`, picture(), bearer(user.token)),
    'a resumable upload that has begun': goOn,
    'a chunk of a video': () =>
      postStatus(`/files/upload/video/${bucket.id}`, chunk(crypto.randomUUID())),
    'the size of a video': () =>
      postStatus(`/files/resolution/video/${bucket.id}`, form({}, new Blob([video]), 'a.mp4')),
    'a token': () =>
      postStatus(`/buckets/jwt/${bucket.id}/0/read`, '{}', {
        ...key,
        'content-type': 'application/json',
      }),
    'a resumable upload': () =>
      statusOf(`/files/tus/${bucket.id}`, {
        method: 'POST',
        headers: { ...tus, 'upload-length': '1000' },
      }),
  };
  const statuses = async () => {
    const statusByName: Record<string, number> = {};
    for (const [name, walk] of Object.entries(attempts)) statusByName[name] = await walk();
    return statusByName;
  };
  return { user, bucket, statuses };
}

const act = async (path: string) => {
  const response = await fetch(server.url + path, { method: 'POST', headers: admin.authorization });
  expect(response.status).toBe(204);
};

for (const kind of ['bucket', 'user'] as const) {
  test(`a ban of the ${kind} shuts every door at once, and lifting it opens all but ended sessions`, async () => {
    const { user, bucket, statuses } = await doors();
    const id = kind === 'bucket' ? bucket.id : user.userId;
    const before = await statuses();
    expect(Object.entries(before).filter(([, status]) => status >= 300)).toEqual([]);

    await act(`/admin/${kind}s/${id}/ban`);
    const shut = await statuses();
    const expected = Object.keys(before).map((name): [string, number] => [
      name,
      /file|image in/.test(name) && !name.includes('list') ? 404 : 403,
    ]);
    const isSession = (name: string) => kind === 'user' && name.includes('session');
    expect(Object.entries(shut)).toEqual(
      expected.map(([name, status]) => [name, isSession(name) ? 401 : status]),
    );

    await act(`/admin/${kind}s/${id}/unban`);
    const after = await statuses();
    const lateChanges = Object.entries(after).filter(([, status]) => status >= 300);
    expect(lateChanges).toEqual(kind === 'user' ? [['an upload with the session', 401]] : []);
  });
}
