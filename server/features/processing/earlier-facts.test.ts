import { afterEach, expect, test } from 'bun:test';
import { insertBuckets } from '../../../tests/support/fixtures/bucket-rows.ts';
import { describeEachEngine } from '../../../tests/support/server/engines.ts';
import { type FileFacts, NO_FACTS } from '../../contract/media.ts';
import type { Database } from '../../platform/db/port.ts';
import { openMemoryEvents } from '../../platform/events/memory.ts';
import { Queue } from '../../platform/queue/queue.ts';
import { QUICK, until } from '../../platform/queue/testing/small-queue.ts';
import { isSetupStepComplete } from '../../platform/setup/setup-steps-store.ts';
import { EarlierFacts } from './earlier-facts.ts';
import { PlainFacts } from './plain-facts.ts';

const FACTS: FileFacts = { width: 6, height: 4, duration: null, thumbHash: 'hash' };
const queues: Queue[] = [];
afterEach(async () => {
  for (const queue of queues.splice(0)) await queue.stop();
});

type Seed = { id: string; type: string; blob?: object | null; isProcessed?: boolean };

/** Inserts files as an earlier version has left them; a blob of null is shared with the file before. */
async function seed({ db }: Database, files: Seed[]): Promise<void> {
  const at = { created_at: 1 };
  let blobId = '';
  for (const { id, type, blob = {}, isProcessed } of files) {
    const kept = { bucket_id: 'b', prefix: `o/b/${id}/`, object_key: `o/b/${id}/x`, size: 7 };
    if (blob) {
      blobId = id;
      await db
        .insertInto('blobs')
        .values({ id, ...kept, refs: 1, ...at, ...blob } as never)
        .execute();
    }
    const file = { id, bucket_id: 'b', name: id, path: id, content_type: type, size: 7 };
    const kind = { file_type: isProcessed ? 'image' : 'file', access: 'public', blob_id: blobId };
    await db
      .insertInto('files')
      .values({ ...file, ...kind, stored_bytes: 7, ...at } as never)
      .execute();
    if (!isProcessed) continue;
    const media = { file_id: id, status: 'success', prefix: `f/b/${id}/`, entry: 'a.webp' };
    await db
      .insertInto('media')
      .values(media as never)
      .execute();
  }
}

/** Starts a process whose clock passes each wait at once, and whose media process reads `read` of an object. */
async function start(database: Database, read: (key: string) => Promise<FileFacts>) {
  let skippedMs = 0;
  const clock = () => Date.now() + skippedMs;
  const events = openMemoryEvents({ onError: () => {} });
  const queue = new Queue({ database, clock, events, onError: () => {}, times: QUICK });
  queues.push(queue);
  const media = { run: ({ source }: { source: string }) => read(source) };
  const diskReserve = { require: async () => {} };
  const plainFacts = new PlainFacts({ database, queue, events, media, diskReserve } as never);
  const earlier = new EarlierFacts({ database, clock, queue, plainFacts });
  await queue.start({ isOnlyProcess: true });
  await earlier.start();
  return {
    queue,
    /** Resolves when all files have been looked through, and nothing waits. */
    end: () =>
      until(async () => {
        skippedMs += 100;
        return (await isComplete(database)) && (await jobsOf(database)).length === 0;
      }),
  };
}

const isComplete = ({ db }: Database) => isSetupStepComplete(db, 'earlier-facts');
const jobsOf = ({ db }: Database) =>
  db.selectFrom('jobs').select('kind').where('state', 'in', ['queued', 'running']).execute();
const idAt = (n: number) => `file-${String(n).padStart(4, '0')}`;
const images = (count: number): Seed[] =>
  Array.from({ length: count }, (_, n) => ({ id: idAt(n), type: 'image/jpeg' }));

await describeEachEngine('files of a version that did not read them', (open) => {
  test('are read once each, and only those of which nothing is known', async () => {
    const database = await open();
    await insertBuckets(database.db, 1);
    const others: Seed[] = [
      { id: 'known', type: 'image/png', blob: { width: 1, height: 1 } },
      { id: 'parts', type: 'image/png', blob: { object_key: null } },
      { id: 'processed', type: 'image/png', isProcessed: true },
      { id: 'text', type: 'text/plain' },
    ];
    const song: Seed = { id: 'song', type: 'audio/mpeg' };
    const copy: Seed = { id: 'song-copy', type: 'audio/mpeg', blob: null };
    await seed(database, [...images(40), ...others, song, copy]);
    const read = new Set<string>();
    let waited = 0;
    const { end } = await start(database, async (key) => {
      read.add(key);
      waited = Math.max(waited, (await jobsOf(database)).length);
      return FACTS;
    });
    await end();
    const expected = [...images(40), song].map(({ id }) => `o/b/${id}/x`);
    expect([...read].sort()).toEqual(expected.sort());
    // All that was added, and the run that follows.
    expect(waited).toBeLessThanOrEqual(33);
    const blobs = database.db.selectFrom('blobs').select(['id', 'width', 'thumb_hash']);
    const unread = await blobs.where('thumb_hash', 'is', null).orderBy('id').execute();
    expect(unread.map(({ id }) => id)).toEqual(['known', 'parts', 'processed', 'text']);
    expect(await blobs.where('id', '=', idAt(39)).executeTakeFirst()).toMatchObject({ width: 6 });
  });

  test('that can not be read are not tried again, and keep no other from being read', async () => {
    const database = await open();
    await insertBuckets(database.db, 1);
    await seed(database, images(3));
    const read: string[] = [];
    const first = await start(database, async (key) => {
      read.push(key);
      return key.includes(idAt(0)) ? NO_FACTS : FACTS;
    });
    await first.end();
    await first.queue.stop();
    expect(read.length).toBe(3);
    const second = await start(database, async (key) => {
      read.push(key);
      return FACTS;
    });
    await second.end();
    expect(read.length).toBe(3);
  });

  test('are read on by the next process where one ends half-way', async () => {
    const database = await open();
    await insertBuckets(database.db, 1);
    await seed(database, images(40));
    const read = new Set<string>();
    const held = Promise.withResolvers<FileFacts>();
    let isHeld = false;
    const first = await start(database, async (key) => {
      isHeld = read.size === 10;
      if (isHeld) return held.promise;
      read.add(key);
      return FACTS;
    });
    await until(() => isHeld);
    const stopping = first.queue.stop();
    held.reject(new Error('the process ends'));
    await stopping;
    const again: string[] = [];
    const second = await start(database, async (key) => {
      again.push(key);
      return FACTS;
    });
    await second.end();
    expect(again.length).toBe(30);
    expect(again.filter((key) => read.has(key))).toEqual([]);
  });

  test('are not looked for where there are none', async () => {
    const database = await open();
    const { end } = await start(database, async () => FACTS);
    expect([await isComplete(database), await jobsOf(database)]).toEqual([true, []]);
    await end();
  });
});
