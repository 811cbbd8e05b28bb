import { expect, test } from 'bun:test';
import { closeSync, openSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFoldersBelow, folderIsDurable, syncFolder, syncWritten } from './durable-folders.ts';

test('those who ask while a folder is being synced share one sync that begins after that', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'wharf-sync-'));
  const [first, second, third] = [syncFolder(folder), syncFolder(folder), syncFolder(folder)];
  expect(second).toBe(third);
  expect(second).not.toBe(first);
  const order: string[] = [];
  await Promise.all([
    second.then(() => order.push('second')),
    first.then(() => order.push('first')),
  ]);
  expect(order).toEqual(['first', 'second']);
  const later = syncFolder(folder);
  expect(later).not.toBe(third);
  await later;
  await rm(folder, { recursive: true });
});

test('a sync that fails is reported to all who share it, and to nobody after them', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'wharf-sync-'));
  const first = syncFolder(folder);
  await rm(folder, { recursive: true });
  const outcomes = await Promise.allSettled([first, syncFolder(folder), syncFolder(folder)]);
  expect(outcomes.map(({ status }) => status).slice(1)).toEqual(['rejected', 'rejected']);
  await expect(syncFolder(folder)).rejects.toThrow('ENOENT');
});

test('a folder is synced also by who finds it before the one who has made it has done so', async () => {
  const top = await mkdtemp(join(tmpdir(), 'wharf-sync-'));
  const [bucket, one, other] = [join(top, 'b'), join(top, 'b', '1'), join(top, 'b', '2')];
  expect(await createFoldersBelow(top, one)).toEqual({ isNew: true, unsynced: [bucket, top] });
  // The first one has not synced anything yet, and may fail.
  expect(await createFoldersBelow(top, other)).toEqual({ isNew: true, unsynced: [bucket, top] });
  expect(await createFoldersBelow(top, one)).toEqual({ isNew: false, unsynced: [bucket, top] });
  folderIsDurable(top, one);
  expect(await createFoldersBelow(top, one)).toEqual({ isNew: false, unsynced: [] });
  expect(await createFoldersBelow(top, other)).toEqual({ isNew: false, unsynced: [bucket] });
  // Another process has removed it, and this one makes it again.
  await rm(bucket, { recursive: true });
  expect(await createFoldersBelow(top, one)).toEqual({ isNew: true, unsynced: [bucket, top] });
  // Another process has made this one.
  await mkdir(join(top, 'c', '1'), { recursive: true });
  const made = { isNew: false, unsynced: [join(top, 'c'), top] };
  expect(await createFoldersBelow(top, join(top, 'c', '1'))).toEqual(made);
  await rm(top, { recursive: true });
});

test('a file that takes long to open keeps nothing else from going on', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'wharf-sync-'));
  const path = join(folder, 'pipe');
  expect(await Bun.spawn(['mkfifo', path]).exited).toBe(0);
  // It can be opened to be read once somebody writes, which this test does.
  const syncing = syncWritten(path).catch((error) => error.code);
  const writer = openSync(path, 'r+');
  expect(await syncing).toBe('EINVAL');
  closeSync(writer);
  await rm(folder, { recursive: true });
});
