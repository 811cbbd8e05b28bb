import { describe, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KIB, MIB } from '../../contract/limits.ts';
import { streamFrom } from '../../contract/streams.ts';
import { createIncrementalFsync, isGcDue, writeStream } from './write-stream.ts';

function fakeFile() {
  const calls: string[] = [];
  const open: PromiseWithResolvers<void>[] = [];
  return {
    calls,
    open,
    datasync: () => {
      calls.push('datasync');
      const one = Promise.withResolvers<void>();
      open.push(one);
      return one.promise;
    },
    sync: async () => void calls.push('sync'),
  };
}

test.each([
  ['a small process', 9000, 140, false],
  ['soon after the last one', 1999, 213, false],
  ['two seconds later', 2000, 160, true],
  ['after much growth', 100, 264, true],
])('garbage is collected in %s after %d ms with %d MiB: %p', (_, after, mib, isDue) => {
  const last = { at: 5000, rss: 200 * MIB };
  expect(isGcDue(last, last.at + after, mib * MIB)).toBe(isDue);
});

test('what has been written of a large body is freed, but neither its beginning nor what shares its memory', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'wharf-write-'));
  const path = join(folder, 'large');
  const chunks = [1, 2, 3].map((value) => new Uint8Array(48 * KIB).fill(value));
  const shared = new Uint8Array(96 * KIB).fill(4);
  const all = [...chunks, shared.subarray(0, 48 * KIB)];
  const expected = Buffer.concat(all);
  const each = async function* () {
    yield* all;
  };
  try {
    expect(await writeStream(streamFrom(each()), path)).toBe(192 * KIB);
    expect(expected.equals(await Bun.file(path).bytes())).toBe(true);
    expect(chunks.map(({ length }) => length)).toEqual([48 * KIB, 48 * KIB, 0]);
    expect(shared.length).toBe(96 * KIB);
  } finally {
    await rm(folder, { recursive: true });
  }
});

describe('syncing early', () => {
  test('begins at two MiB, runs once at a time, and syncs all at the end', async () => {
    const file = fakeFile();
    const fsync = createIncrementalFsync(file);
    fsync.advance(2 * MIB - 1);
    expect(file.calls).toEqual([]);
    fsync.advance(2 * MIB);
    fsync.advance(9 * MIB);
    expect(file.calls).toEqual(['datasync']);
    file.open[0]?.resolve();
    await fsync.settle();
    fsync.advance(9 * MIB);
    expect(file.calls).toEqual(['datasync', 'datasync']);
    file.open[1]?.resolve();
    await fsync.finish();
    expect(file.calls).toEqual(['datasync', 'datasync', 'sync']);
  });

  test('does not forget a sync that failed, though a later one succeeds', async () => {
    const file = fakeFile();
    const fsync = createIncrementalFsync(file);
    fsync.advance(2 * MIB);
    file.open[0]?.reject(new Error('EIO'));
    await fsync.settle();
    fsync.advance(4 * MIB);
    file.open[1]?.resolve();
    await expect(fsync.finish()).rejects.toThrow('EIO');
    expect(file.calls).not.toContain('sync');
  });

  test('waits for the sync under way before the file may be closed', async () => {
    const file = fakeFile();
    const fsync = createIncrementalFsync(file);
    fsync.advance(2 * MIB);
    let hasFinished = false;
    const settling = fsync.settle().then(() => {
      hasFinished = true;
    });
    await Bun.sleep(1);
    expect(hasFinished).toBe(false);
    file.open[0]?.reject(new Error('EIO'));
    await settling;
  });
});
