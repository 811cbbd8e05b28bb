import { mkdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { buildScripts } from '../../../scripts/build/scripts.ts';

/**
 * Builds the browser's scripts with development React into the folder on the command line. Its
 * `names.json` maps logical names to files.
 */
const [folder] = process.argv.slice(2);
if (!folder) throw new Error('Name a folder.');
await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
const names: Record<string, string> = {};
await buildScripts(
  join(import.meta.dir, '../../..'),
  {
    async store(file, bytes) {
      const text = new TextDecoder().decode(bytes);
      // Source maps are three quarters of the size, and the tests don't use them.
      await Bun.write(
        join(folder, basename(file)),
        text.replace(/^\/\/# sourceMappingURL=.*$/m, ''),
      );
    },
    nameScript(logical, file) {
      names[logical] = file;
    },
  },
  true,
);
await Bun.write(join(folder, 'names.json'), JSON.stringify(names));
