import type { AdminLogWire } from '../../server/contract/admin.ts';
import type { FileWire, Page } from '../../server/contract/wire.ts';
import { startServerInProcess } from './in-process-server.ts';
import { photo } from './media.ts';
import {
  form,
  makeBucket,
  settledFile,
  signUp,
  startServer,
  type TestServer,
  type TestUser,
} from './server.ts';

export const ADMIN = 'admin@example.com';

/** A server with its admin, and what tests of the admin's calls ask of it. Call `server.stop` in `afterAll`. */
export const startAdminHouse = async () => withAdmin(await startServer({ ADMIN_EMAIL: ADMIN }));

/** The same in this process, for tests that reach into its services. */
export const startAdminHouseInProcess = async () =>
  withAdmin(await startServerInProcess({ ADMIN_EMAIL: ADMIN }));

async function withAdmin<Server extends TestServer>(server: Server) {
  const admin = await signUp(server, ADMIN);

  const send = (method: string, path: string, body?: unknown, as: TestUser = admin) =>
    fetch(server.url + path, {
      method,
      headers: {
        ...as.authorization,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const get = async <Got>(path: string, as = admin) =>
    (await (await send('GET', path, undefined, as)).json()) as Got;
  const tryUpload = async (bucket: { id: string; api_key: string }, token = bucket.api_key) =>
    fetch(`${server.url}/files/upload/image/${bucket.id}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: form(
        { access: 'public', webp: '' },
        new Blob([new Uint8Array(await photo({ width: 64, height: 48 }))]),
        'a.jpg',
      ),
    });

  return {
    server,
    admin,
    send,
    get,
    /** The status and the text of an act of the admin's. */
    async act(method: string, path: string, body?: unknown) {
      const answer = await send(method, path, body);
      return [answer.status, await answer.text()] as const;
    },
    logs: async (query = '') => (await get<Page<AdminLogWire>>(`/admin/logs${query}`)).data,
    tryUpload,
    /** A user with a bucket, and a picture in it that is delivered. */
    async owner() {
      const user = await signUp(server);
      const bucket = await makeBucket(server, user);
      const file = (await (await tryUpload(bucket)).json()) as FileWire;
      const { url } = await settledFile(server, bucket, file.id);
      return { user, bucket, url: url ?? '', fileId: file.id };
    },
    async mint(bucket: { id: string; api_key: string }, scope: string) {
      const answer = await fetch(`${server.url}/buckets/jwt/${bucket.id}/0/${scope}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${bucket.api_key}`,
          'content-type': 'application/json',
        },
        body: '{}',
      });
      return ((await answer.json()) as { jwt: string }).jwt;
    },
  };
}
