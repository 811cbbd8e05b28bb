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

/** Returns what entries load by static imports: our files, and built-in modules, each with the first file that does. */
function loadedBy(entries: string[]) {
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
  return { files: seen, builtins };
}

test('a start loads neither the server of Node nor its compression, which take 3 and 4 MiB', () => {
  const { builtins } = loadedBy(ENTRIES);
  // It follows imports down to the stores and adapters.
  expect(builtins.has('bun:sqlite')).toBe(true);
  expect(builtins.get('node:http') ?? null).toBeNull();
  expect(builtins.get('node:https') ?? null).toBeNull();
  expect(builtins.get('node:zlib') ?? null).toBeNull();
});

test('routes are mounted by the app alone, as Elysia adds them again in each plugin that uses theirs', () => {
  const used = [...new Bun.Glob('server/features/**/*.{ts,tsx}').scanSync(ROOT)]
    .filter((file) => !/\.test\.tsx?$/.test(file))
    .flatMap((file) => {
      const source = readFileSync(join(ROOT, file), 'utf8');
      return [...source.matchAll(/\.use\((\w+)\(/g)].map((match) => `${file}: ${match[1]}`);
    });
  expect(used).toContain('server/features/files/routes.ts: bucketGuard');
  expect(used.filter((use) => !use.endsWith('Guard'))).toEqual([]);
});
