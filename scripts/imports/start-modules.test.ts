import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readImports } from './scan.ts';

const ROOT = join(import.meta.dir, '../..');
/** What the command `serve` loads before it answers; see server/cli/commands.ts. */
const ENTRIES = [
  'server/main.ts',
  'server/runtime/io-threads.ts',
  'server/config/config.ts',
  'server/cli/serve.ts',
];

/** Returns the built-in modules that entries load by static imports, each with the first file that does. */
function builtinsOf(entries: string[]): Map<string, string> {
  const builtins = new Map<string, string>();
  const seen = new Set(entries);
  for (const file of seen) {
    for (const { target, isPackage, isDynamic } of readImports(
      file,
      readFileSync(join(ROOT, file), 'utf8'),
    )) {
      if (isDynamic) continue;
      if (!isPackage && /\.tsx?$/.test(target)) seen.add(target);
      if (/^(node|bun):/.test(target) && !builtins.has(target)) builtins.set(target, file);
    }
  }
  return builtins;
}

test('a start loads neither the server of Node nor its compression, which take 3 and 4 MiB', () => {
  const builtins = builtinsOf(ENTRIES);
  // It follows imports down to the stores and adapters.
  expect(builtins.has('bun:sqlite')).toBe(true);
  expect(builtins.get('node:http') ?? null).toBeNull();
  expect(builtins.get('node:https') ?? null).toBeNull();
  expect(builtins.get('node:zlib') ?? null).toBeNull();
});
