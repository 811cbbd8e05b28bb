import { join } from 'node:path';
import { decoderProgram } from '../decoder/program.ts';
import { runWorker } from '../worker/worker.ts';
import { folderStore } from './folder-store.ts';

/** This is a media process over the folder on the command line, as the server would start it. */
const [root = '', timeoutMs] = process.argv.slice(2);
const objects = folderStore(join(root, 'objects'));
await runWorker({
  objects: {
    ...objects,
    open(key) {
      if (key === 'up/crash') process.kill(process.pid, 'SIGKILL');
      return objects.open(key);
    },
  },
  workDir: join(root, 'work'),
  decoder: {
    ...decoderProgram(''),
    idleMs: 200,
    ...(timeoutMs && { timeoutsMs: { image: Number(timeoutMs), generate: Number(timeoutMs) } }),
  },
});
