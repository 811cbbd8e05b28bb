import { expect } from 'bun:test';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openObjectsForReading } from '../../../server/adapters/objects.ts';
import { until } from '../client/wait.ts';
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

type Traces = Record<
  'files' | 'jobs' | 'uploads' | 'chunks' | 'pendingDeletes' | 'objects' | 'temporary',
  string[]
>;

/** Finds what uploads to a server have left behind, so that a test can check that one left nothing. */
export function tracesOf(server: TestServer) {
  /** Returns the names of temporary files, which uploads are at first, and which objects are while they are deleted. */
  const temporary = async () => {
    const folder = join(server.dataDir, 'storage/tmp');
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  };

  /** Waits until temporary files are gone, as those are that a sweep is deleting, and others should be. */
  const gone = (names: string[]) =>
    until(async () => (await temporary()).every((name) => !names.includes(name)));

  /** Waits until no file is being processed. */
  async function quiet() {
    const { db } = server;
    const busy = () =>
      db.selectFrom('jobs').select('id').where('state', 'in', ['queued', 'running']).execute();
    while ((await busy()).length > 0) await Bun.sleep(20);
  }

  /** Returns everything that an upload could leave behind, by name. */
  async function traces(): Promise<Traces> {
    await quiet();
    const { db } = server;
    const ids = async (table: 'files' | 'jobs' | 'upload_sessions') =>
      (await db.selectFrom(table).select('id').execute()).map(({ id }) => id);
    const chunks = await db.selectFrom('upload_parts').select('object_key').execute();
    const later = await db
      .selectFrom('pending_deletes')
      .select('prefix')
      .where('not_before', '>', Date.now())
      // What was refused is deleted once more an hour later.
      .where('started_at', 'is', null)
      .execute();
    return {
      files: await ids('files'),
      jobs: await ids('jobs'),
      uploads: await ids('upload_sessions'),
      chunks: chunks.map(({ object_key }) => object_key),
      pendingDeletes: later.map(({ prefix }) => prefix),
      objects: await storedObjects(server),
      temporary: await temporary(),
    };
  }

  /**
   * Returns what is there now and was not before, by kind, without the kinds of which there is nothing. What
   * earlier uploads have left may go at any time. Throws where temporary files stay.
   */
  async function newSince(before: Traces): Promise<Partial<Traces>> {
    const kinds = Object.entries(await traces()) as [keyof Traces, string[]][];
    const added = kinds.map(([kind, names]) => {
      const known = new Set(before[kind]);
      return [kind, names.filter((name) => !known.has(name))] as const;
    });
    await gone(added.flatMap(([kind, names]) => (kind === 'temporary' ? names : [])));
    return Object.fromEntries(
      added.filter(([kind, names]) => kind !== 'temporary' && names.length > 0),
    );
  }

  /** Makes an upload that must be refused, and checks that it leaves nothing behind and takes no file away. */
  async function refused(work: () => Promise<Response>, status: number, text: RegExp | string) {
    const before = await traces();
    const response = await work();
    const body = await response.text();
    expect({ status: response.status, body }).toEqual({
      status,
      body: expect.stringMatching(text),
    });
    expect(response.headers.get('x-error-code')).toBeTruthy();
    expect(await newSince(before)).toEqual({});
    expect((await traces()).files).toEqual(expect.arrayContaining(before.files));
  }

  return { traces, newSince, refused };
}
