import { SQL } from 'bun';
import type { BucketDetailWire, FileEvent } from '../../../server/contract/wire.ts';
import { listFiles, signUp, waitForFile } from '../client/api.ts';
import { until } from '../client/wait.ts';
import type { Postgres } from '../services/postgres.ts';
import type { Rgw } from '../services/rgw.ts';
import { fsck } from './command.ts';
import { freshDatabase } from './engines.ts';
import { type ServerProcess, startServerProcess } from './server-process.ts';

/** The public URL of all processes. The host does not exist, so that no test calls it by mistake. */
export const APP_URL = 'http://files.example.com';
const REQUEST_TIMEOUT_MS = 120_000;

export type Scaled = Awaited<ReturnType<typeof startScaled>>;

/** Starts processes of Wharf that share a database and an S3 bucket. Each has its own port and folder. */
export async function startScaled(postgres: Postgres, rgw: Rgw, env: Record<string, string> = {}) {
  const database = await freshDatabase(postgres.url);
  const sql = new SQL(database, { max: 2 });
  // Committed rows must survive a crash of the database in these tests too.
  const name = new URL(database).pathname.slice(1);
  await sql.unsafe(`alter database ${name} set synchronous_commit = on`);
  const settings = {
    DATABASE_URL: database,
    STORAGE_URL: (await rgw.bucket()).url,
    APP_URL,
    APP_SECRET: 'of the tests, and of nothing else',
    WEBHOOK_ALLOW_PRIVATE: 'yes',
    LOG_LEVEL: 'warn',
    ...env,
  };
  const start = (role: string) =>
    startServerProcess({ env: settings, args: ['serve', '--role', role] });

  // They start together, so that all of them find an empty database.
  const all = await Promise.all([start('web'), start('web'), start('media'), start('media')]);
  const [web, otherWeb, media, otherMedia] = all as [
    ServerProcess,
    ServerProcess,
    ServerProcess,
    ServerProcess,
  ];
  let turn = 0;

  return {
    all,
    webs: [web, otherWeb] as const,
    medias: [media, otherMedia] as const,
    sql,

    /** Sends requests to the web processes in turn. Throws if a request should be repeated. */
    async send(url: string, init: RequestInit = {}): Promise<Response> {
      turn += 1;
      const { pathname, search } = new URL(url);
      const { url: origin } = turn % 2 === 0 ? web : otherWeb;
      const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
      const response = await fetch(`${origin}${pathname}${search}`, { ...init, signal });
      if (response.status !== 503) return response;
      if (!response.headers.has('retry-after')) throw new Error(`${url}: 503 without Retry-After`);
      throw new Error('away');
    },

    audit: () => fsck(web.dataDir, ['--json'], settings),

    async stop() {
      await Promise.all(all.map((one) => one.stop()));
      await sql.close();
    },
  };
}

type Process = { url: string };
type ProcessWithMail = Process & { outbox: string | string[] };
/** The web processes, and how to send a request to any of them. */
type Webs = {
  webs: readonly [ProcessWithMail, ...ProcessWithMail[]];
  send(url: string, init?: RequestInit): Promise<Response>;
};

/** Returns the URL of a path at one of the processes. */
export const at = ({ url }: Process, path: string | null) => path?.replace(APP_URL, url) ?? '';
export const keyOf = ({ api_key }: BucketDetailWire) => ({ 'x-api-key': api_key });

export type ScaledUser = Awaited<ReturnType<typeof scaledUser>>;

/** Signs up a user at the first web process, who then uses both. */
export async function scaledUser({ webs, send }: Webs) {
  // Each has an outbox of its own, and any of them sends the mail.
  const session = await signUp({ ...webs[0], outbox: webs.flatMap(({ outbox }) => outbox) });
  const all = { url: APP_URL, send };
  const filesOf = (bucket: BucketDetailWire) => listFiles(all, bucket);

  return {
    token: session.token,
    bearer: session.authorization,
    filesOf,

    /** Waits until a file is processed. Returns it with a token that opens it. */
    async usageOnceSettled(bucket: BucketDetailWire, id: string) {
      const file = await waitForFile(all, bucket, id);
      return { ...file, jwt: (await filesOf(bucket)).jwt };
    },

    /** Listens to the user's events, as an open page does. */
    async listen({ url }: Process, events: FileEvent[]): Promise<WebSocket> {
      const address = `${url.replace('http', 'ws')}/ws?user_id=${session.userId}`;
      const cookie = `wharf_session=${session.token}`;
      const socket = new WebSocket(address, { headers: { origin: APP_URL, cookie } } as never);
      socket.onmessage = ({ data }) => events.push(JSON.parse(data));
      await until(async () => socket.readyState === WebSocket.OPEN);
      return socket;
    },
  };
}
