import { dirname, join } from 'node:path';
import { readImports } from '../../../scripts/imports/scan.ts';
import { ROOT } from './program.ts';

const FEATURES = 'server/{features,platform}/**/*.ts';

/**
 * Loads what the server's features load at their first use. Loading takes real time, so it would end at
 * another moment of a simulation in the first run than in the next ones.
 */
export async function loadLazyModules(): Promise<void> {
  for await (const file of new Bun.Glob(FEATURES).scan(ROOT)) {
    if (file.endsWith('.test.ts')) continue;
    const lazy = readImports(file, await Bun.file(join(ROOT, file)).text()).filter(
      ({ isDynamic }) => isDynamic,
    );
    for (const { target, isPackage } of lazy) {
      await import(
        isPackage ? Bun.resolveSync(target, join(ROOT, dirname(file))) : join(ROOT, target)
      );
    }
  }
}
