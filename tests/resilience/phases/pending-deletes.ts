import { expect } from 'bun:test';
import { SECOND } from '../../../server/contract/limits.ts';
import { newId } from '../../../server/platform/ids.ts';
import { rounds } from '../../support/fixtures/torture.ts';
import type { Phase } from './phase.ts';
import { BUCKET } from './scene.ts';

/** In a bucket that is deleted, and of a bucket that stays. */
const [BUCKET_FILES, SINGLE_FILES] = [rounds(2000, 200), rounds(1000, 150)];

/** The deletion of objects whose rows are gone: those of whole buckets, of files, and single ones. */
export function pendingDeletes(): Phase {
  const buckets: string[] = [];
  const prefixes: string[] = [];

  return {
    name: 'the deletion of objects',

    leaveWork(scene) {
      const now = Date.now();
      const bucket = `f/${newId(now)}/`;
      buckets.push(bucket);
      for (let n = 0; n < BUCKET_FILES; n += 1) scene.addObject(`${bucket}${newId(now)}/`, 'x');
      const due = [bucket];
      for (let n = 0; n < SINGLE_FILES; n += 1) {
        const prefix = `f/${BUCKET}/${newId(now)}/`;
        scene.addObject(prefix, 'x');
        due.push(n % 2 === 0 ? prefix : `${prefix}x`);
      }
      prefixes.push(...due);
      scene.insert(
        'pending_deletes',
        due.map((prefix) => ({ prefix, not_before: now - SECOND })),
      );
    },

    countLeft(scene) {
      const pending = scene.texts('select prefix from pending_deletes where deleted_at is null');
      const objects = buckets.map((bucket) => scene.countBelow(bucket));
      return objects.reduce(
        (sum, one) => sum + one,
        prefixes.filter((one) => pending.has(one)).length,
      );
    },

    check(scene) {
      expect(prefixes.filter((prefix) => scene.isStored(prefix))).toEqual([]);
      const deleted = scene.texts('select prefix from pending_deletes where deleted_at > 0');
      expect(prefixes.filter((prefix) => !deleted.has(prefix))).toEqual([]);
    },
  };
}
