import { expect } from 'bun:test';
import { DAY } from '../../../server/contract/limits.ts';
import { newId } from '../../../server/platform/ids.ts';
import { rounds } from '../../support/fixtures/torture.ts';
import type { Phase } from './phase.ts';
import { BUCKET, OBJECT_BYTES, TODAY } from './scene.ts';

const [FILES, IMAGES_PER_FILE] = [rounds(60, 15), 20];
/** How many images the server keeps, and how many an eviction leaves at least. */
const [MAX_IMAGES, TARGET_IMAGES] = [100, 95];
/** Four images are evicted at a time, so that a kill can leave an older one of them. */
const SURE_IMAGES = TARGET_IMAGES - 4;

export const EVICTION_SETTINGS = { DERIVATIVES_MAX_BYTES: String(MAX_IMAGES * OBJECT_BYTES) };

/** The eviction of generated images, of which there are too many. */
export function eviction(): Phase {
  /** The prefixes of all images, in the order of their last use. */
  const prefixes: string[] = [];

  return {
    name: 'the eviction of generated images',

    leaveWork(scene) {
      for (const fileId of scene.addFiles(BUCKET, FILES, true)) {
        const images = Array.from({ length: IMAGES_PER_FILE }, (_, n) => {
          const id = newId(Date.now());
          const prefix = `f/${BUCKET}/${fileId}/d/${id}/`;
          scene.addObject(prefix, 'file.webp');
          prefixes.push(prefix);
          return {
            ...{ id, file_id: fileId, bucket_id: BUCKET, transform: `w_${n}`, prefix },
            ...{ name: 'file.webp', bytes: OBJECT_BYTES, used_at: TODAY - DAY + prefixes.length },
          };
        });
        scene.insert('derivatives', images);
        const bytes = images.length * OBJECT_BYTES;
        const { database } = scene;
        database.run('update files set stored_bytes = stored_bytes + ? where id = ?', [
          bytes,
          fileId,
        ]);
        scene.addStored(BUCKET, bytes);
      }
    },

    countLeft: (scene) => scene.count(`select max(0, count(*) - ${MAX_IMAGES}) from derivatives`),

    check(scene) {
      const kept = scene.texts('select prefix from derivatives');
      expect(kept.size).toBeGreaterThanOrEqual(TARGET_IMAGES);
      expect(prefixes.slice(-SURE_IMAGES).filter((prefix) => !kept.has(prefix))).toEqual([]);
      expect(scene.count('select sum(images) from derivative_totals')).toBe(kept.size);
      // The objects stay for a while, as requests may still open them.
      const scheduled = scene.texts('select prefix from pending_deletes');
      const isForgotten = (prefix: string) =>
        !kept.has(prefix) && !scheduled.has(prefix) && scene.isStored(prefix);
      expect(prefixes.filter(isForgotten)).toEqual([]);
    },
  };
}
