import { expect, test } from 'bun:test';
import { open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { MIB } from '../../../contract/limits.ts';
import { punchHole, supportsSlots } from './punch-hole.ts';

const path = join(tmpdir(), `wharf-hole-${crypto.randomUUID()}`);

test.skipIf(!(await supportsSlots(path)))(
  'others have their turn while many bytes are given back to the disk',
  async () => {
    const file = await open(path, 'wx');
    try {
      const start = 5000 * MIB;
      await file.write(Buffer.alloc(MIB, 'x'), 0, MIB, start);
      let turns = 0;
      let isDone = false;
      const punching = punchHole(file.fd, start, start + 64 * MIB).finally(() => {
        isDone = true;
      });
      while (!isDone) {
        await setImmediate();
        turns += 1;
      }
      expect(await punching).toBe(true);
      expect(turns).toBeGreaterThan(10);
      await file.sync();
      expect((await file.stat()).blocks).toBe(0);
    } finally {
      await file.close();
      await rm(path);
    }
  },
);
