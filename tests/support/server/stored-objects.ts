import { expect } from 'bun:test';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openObjectsForReading } from '../../../server/adapters/objects.ts';
import type { TestServer } from './server.ts';

/**
 * Returns the keys of the objects below `prefix` that a server stores, on disk or in S3. Objects that
 * are marked for deletion are left out, because the next sweep deletes them.
 */
export async function storedObjects({ config, db }: TestServer, prefix = ''): Promise<string[]> {
  const store = await openObjectsForReading(config.storage);
  const marked = async () =>
    (
      await db
        .selectFrom('pending_deletes')
        .select('prefix')
        .where('not_before', '<=', Date.now())
        .execute()
    ).map((row) => row.prefix);
  // A sweep may delete an object and its mark during the listing, so marks are read before and after.
  const before = await marked();
  const objects = await Array.fromAsync(store.list(prefix));
  const leaving = [...before, ...(await marked())];
  return objects.map(({ key }) => key).filter((key) => !leaving.some((one) => key.startsWith(one)));
}

/** Finds what uploads to a server have left behind, so that a test can check that one left nothing. */
export function tracesOf(server: TestServer) {
  /**
   * Returns the names of temporary files, which uploads are at first. A folder here is one that a sweep is removing at
   * this moment.
   */
  const temporary = async () => {
    const folder = join(server.dataDir, 'storage/tmp');
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  };

  /** Waits until no file is being processed. */
  async function quiet() {
    const { db } = server;
    const busy = () =>
      db.selectFrom('jobs').select('id').where('state', 'in', ['queued', 'running']).execute();
    while ((await busy()).length > 0) await Bun.sleep(20);
  }

  /** Counts everything that an upload could leave behind. */
  async function traces() {
    await quiet();
    const { db } = server;
    const count = async (table: 'files' | 'jobs' | 'upload_sessions' | 'upload_parts') =>
      (await db.selectFrom(table).selectAll().execute()).length;
    const later = db
      .selectFrom('pending_deletes')
      .select('prefix')
      .where('not_before', '>', Date.now())
      // What was refused is deleted once more an hour later.
      .where('started_at', 'is', null);
    return {
      files: await count('files'),
      uploads: await count('upload_sessions'),
      chunks: await count('upload_parts'),
      pendingDeletes: (await later.execute()).length,
      objects: (await storedObjects(server)).length,
      temporary: (await temporary()).length,
    };
  }

  /** Makes an upload that must be refused, and checks that it leaves nothing behind. */
  async function refused(work: () => Promise<Response>, status: number, text: RegExp | string) {
    const before = await traces();
    const others = await temporary();
    const response = await work();
    const body = await response.text();
    expect({ status: response.status, body }).toEqual({
      status,
      body: expect.stringMatching(text),
    });
    expect(response.headers.get('x-error-code')).toBeTruthy();
    const after = await traces();
    // Temporary files of earlier uploads may be removed meanwhile.
    expect({ ...after, temporary: 0 }).toEqual({ ...before, temporary: 0 });
    expect((await temporary()).filter((name) => !others.includes(name))).toEqual([]);
  }

  return { traces, refused };
}
