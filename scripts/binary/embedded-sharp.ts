import { join } from 'node:path';
import type { BunPlugin } from 'bun';

/**
 * sharp looks for its addon in node_modules, of which the binary has none. Inside it, the module that
 * looks is this one, which loads what media/image/libraries.ts has put on the disk.
 */
export const embeddedSharp = (root: string): BunPlugin => ({
  name: 'embedded-sharp',
  setup(build) {
    build.onLoad({ filter: /[\\/]sharp[\\/]dist[\\/]sharp\.[cm]js$/ }, ({ path }) => {
      if (path.endsWith('.cjs')) throw new Error('sharp is loaded as CommonJS now: look again.');
      return {
        contents: `
          import { createRequire } from 'node:module';
          import { sharpAddon } from ${JSON.stringify(join(root, 'media/image/libraries.ts'))};
          export default createRequire(import.meta.url)(sharpAddon());
        `,
        loader: 'js',
      };
    });
  },
});
