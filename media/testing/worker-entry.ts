import { join } from 'node:path';
import { decoderProgram } from '../decoder/program.ts';
import { runWorker } from '../worker/worker.ts';
import { folderStore } from './folder-store.ts';

/**
 * This is a media process over the folder on the command line, as the server would start it. Its store ends
 * the process that opens `up/crash`. A limit in milliseconds, if there is one, holds for each image that is
 * read from `up/slow` and for no other, because a busy machine may take longer for those.
 */
const [root = '', timeoutMs] = process.argv.slice(2);
const objects = folderStore(join(root, 'objects'));
let slowImages = 0;
function limit(): number | undefined {
  if (!timeoutMs || slowImages === 0) return undefined;
  slowImages -= 1;
  return Number(timeoutMs);
}
await runWorker({
  objects: {
    ...objects,
    open(key) {
      if (key === 'up/crash') process.kill(process.pid, 'SIGKILL');
      if (key === 'up/slow') slowImages += 1;
      return objects.open(key);
    },
  },
  workDir: join(root, 'work'),
  decoder: {
    ...decoderProgram(''),
    idleMs: 200,
    timeoutsMs: {
      get image() {
        return limit();
      },
      get generate() {
        return limit();
      },
    },
  },
});
