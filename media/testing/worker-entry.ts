import { join } from 'node:path';
import { runWorker } from '../worker/worker.ts';
import { folderStore } from './folder-store.ts';

/** This is a media process over the folder on the command line, as the server would start it. */
const [root = '', imageMs, deriveMs] = process.argv.slice(2);
await runWorker({
  objects: folderStore(join(root, 'objects')),
  workDir: join(root, 'work'),
  ...(imageMs ? { imageMs: Number(imageMs) } : {}),
  ...(deriveMs ? { deriveMs: Number(deriveMs) } : {}),
});
