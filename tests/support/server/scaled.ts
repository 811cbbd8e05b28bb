import { SQL } from 'bun';
import type { Postgres } from '../services/postgres.ts';
import type { Rgw } from '../services/rgw.ts';
import { freshDatabase } from './engines.ts';
import { fsck } from './fsck.ts';
import { type ServerProcess, startServerProcess } from './server-process.ts';

/** Where all of them are for the world: there is no such host, so that nobody calls it by mistake. */
export const APP_URL = 'http://files.example.com';
const PATIENCE = 30_000;

export type Scaled = Awaited<ReturnType<typeof startScaled>>;

/** Processes of Wharf on one database and one S3 bucket, each with a port and a folder of its own. */
export async function startScaled(postgres: Postgres, rgw: Rgw, env: Record<string, string> = {}) {
  const database = await freshDatabase(postgres.url);
  const sql = new SQL(database, { max: 2 });
  // What is committed outlives a crash of the database here too.
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

  // At the same moment, so that all of them find an empty database.
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

    /** Asks one web process after the other. Throws where the same is to be asked again. */
    async send(url: string, init: RequestInit = {}): Promise<Response> {
      turn += 1;
      const { pathname, search } = new URL(url);
      const { url: origin } = turn % 2 === 0 ? web : otherWeb;
      const signal = AbortSignal.timeout(PATIENCE);
      const answer = await fetch(`${origin}${pathname}${search}`, { ...init, signal });
      if (answer.status !== 503) return answer;
      if (!answer.headers.has('retry-after')) throw new Error(`${url}: 503 without Retry-After`);
      throw new Error('away');
    },

    audit: () => fsck(web.dataDir, ['--json'], settings),

    async stop() {
      await Promise.all(all.map((one) => one.stop()));
      await sql.close();
    },
  };
}
