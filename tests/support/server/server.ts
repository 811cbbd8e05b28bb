import { openDatabase } from '../../../server/adapters/database.ts';
import { type Config, loadConfig } from '../../../server/config/config.ts';
import type { FileWire, SessionWire } from '../../../server/contract/wire.ts';
import type { Executor } from '../../../server/platform/db/port.ts';
import { readCode } from '../client/outbox.ts';
import { startServerProcess } from './server-process.ts';
import { engineSettings } from './test-engine.ts';

export type TestServer = {
  url: string;
  dataDir: string;
  /** Folder of the .eml files. */
  outbox: string;
  config: Config;
  /** The rows of the server, over a connection of the test's own. */
  db: Executor;
  stop(): Promise<void>;
};

export const PASSWORD = 'a harbour at work';

/**
 * The program under test as a server of its own, on a port and in a folder of its own. Call `stop` in
 * `afterAll`. A `dataDir` that is given stays.
 */
export async function startServer(
  env: Record<string, string> = {},
  { dataDir }: { dataDir?: string } = {},
): Promise<TestServer> {
  const server = await startServerProcess({ env: { LOG_LEVEL: 'warn', ...env }, dataDir });
  const config = loadConfig({
    PORT: new URL(server.url).port,
    DATA_DIR: server.dataDir,
    APP_URL: server.url,
    ...(await engineSettings(server.dataDir)),
    ...env,
  });
  const database = await openDatabase(config);
  return {
    url: server.url,
    dataDir: server.dataDir,
    outbox: server.outbox,
    config,
    db: database.db,
    async stop() {
      await database.close();
      await server.stop();
    },
  };
}

const json = (body: unknown, headers: Record<string, string> = {}) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

/** A browser's side of the API: it keeps cookies and, once signed in, sends the token. */
export function browser(url: string) {
  let cookies = new Bun.CookieMap();
  const fetchWith = async (path: string, init: RequestInit = {}) => {
    const headers = new Headers(init.headers);
    const jar = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    if (jar) headers.set('cookie', jar);
    const answer = await fetch(`${url}${path}`, { redirect: 'manual', ...init, headers });
    for (const line of answer.headers.getSetCookie()) {
      const cookie = Bun.Cookie.parse(line);
      cookies.set(cookie.name, cookie.value);
    }
    return answer;
  };
  return {
    fetch: fetchWith,
    post: (path: string, body: unknown, headers?: Record<string, string>) =>
      fetchWith(path, json(body, headers)),
    cookies: () => [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    forget() {
      cookies = new Bun.CookieMap();
    },
  };
}

/** Signs a new user up, over HTTP, with the code from the outbox. */
export async function signUp(server: TestServer, email = `u${crypto.randomUUID()}@example.com`) {
  const client = browser(server.url);
  await client.post('/users/signup', { email, password: PASSWORD });
  const code = await readCode(server.outbox, email);
  const answer = await client.post('/users/verify', { email, email_token: code });
  if (answer.status !== 200) throw new Error(`signing up failed: ${await answer.text()}`);
  const session = (await answer.json()) as SessionWire;
  const authorization = { authorization: `Bearer ${session.token}` };
  return { ...session, client, authorization };
}

export type TestUser = Awaited<ReturnType<typeof signUp>>;

export async function makeBucket(
  server: TestServer,
  user: TestUser,
  name = 'Pictures',
  region?: string,
) {
  const answer = await user.client.post('/buckets', { name, region }, user.authorization);
  const { id } = (await answer.json()) as { id: string };
  const detail = await fetch(`${server.url}/buckets/${id}`, { headers: user.authorization });
  return (await detail.json()) as { id: string; api_key: string };
}

export async function listFiles(server: TestServer, bucket: { id: string; api_key: string }) {
  const answer = await fetch(`${server.url}/files/${bucket.id}`, {
    headers: { 'x-api-key': bucket.api_key },
  });
  return (await answer.json()) as { data: FileWire[]; jwt: string };
}

/** Waits until a file is no longer processing. */
export async function settledFile(
  server: TestServer,
  bucket: { id: string; api_key: string },
  id: string,
): Promise<FileWire> {
  for (let i = 0; i < 1200; i += 1) {
    const file = (await listFiles(server, bucket)).data.find((one) => one.id === id);
    if (file && file.status !== 'processing') return file;
    await Bun.sleep(50);
  }
  throw new Error('the file is still processing');
}

/** A form with its fields in this order, and the file last. */
export function form(fields: Record<string, string>, file?: Blob, name = 'file.bin'): FormData {
  const data = new FormData();
  for (const [field, value] of Object.entries(fields)) data.append(field, value);
  if (file) data.append('file', file, name);
  return data;
}
