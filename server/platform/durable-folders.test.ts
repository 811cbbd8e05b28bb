import { expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { syncFolder } from './durable-folders.ts';

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
