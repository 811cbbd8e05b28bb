import { afterAll, expect, test } from 'bun:test';
import type { FilePageWire } from '../../../server/contract/wire.ts';
import { createBucket, form, signUp } from '../../support/client/api.ts';
import { startServerInProcess } from '../../support/server/in-process-server.ts';

const server = await startServerInProcess({});
afterAll(() => server.stop());

test('a list without filters says how many files its bucket has, and no other one counts', async () => {
  const { token } = await signUp(server);
  const bucket = await createBucket(server, token);
  const headers = { 'x-api-key': bucket.api_key };
  const ids: string[] = [];
  for (const path of ['a.txt', 'b.txt', 'c.txt']) {
    const body = form({ path }, new Blob([path]), path);
    const url = `${server.url}/files/upload/file/${bucket.id}`;
    const response = await fetch(url, { method: 'POST', body, headers });
    expect(response.status).toBe(201);
    ids.push((await response.json()).id);
  }
  const totalOf = async (query = '') => {
    const response = await fetch(`${server.url}/files/${bucket.id}?${query}`, { headers });
    expect(response.status).toBe(200);
    return ((await response.json()) as FilePageWire).total;
  };
  expect(await totalOf()).toBe(3);
  expect(await totalOf('limit=1&sort=name')).toBe(3);
  for (const filter of ['access=public', 'file_type=file', 'q=a', 'min_size=0', 'from=2026-01-01'])
    expect([filter, await totalOf(filter)]).toEqual([filter, null]);
  const url = `${server.url}/files/${bucket.id}/${ids[0]}`;
  expect((await fetch(url, { method: 'DELETE', headers })).ok).toBe(true);
  expect(await totalOf()).toBe(2);
});
