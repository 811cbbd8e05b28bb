import { join } from 'node:path';

/**
 * Builds the library that delays each fsync, in `folder`, and returns the settings that load it into a
 * program. Returns null where there is no C compiler.
 */
export function slowDisk(folder: string): Record<string, string> | null {
  const compiler = Bun.which('cc') ?? Bun.which('gcc') ?? Bun.which('clang');
  if (!compiler) return null;
  const library = join(folder, 'slow-fsync.so');
  const source = join(import.meta.dir, 'slow-fsync.c');
  const built = Bun.spawnSync([compiler, '-shared', '-fPIC', '-O2', '-o', library, source, '-ldl']);
  if (built.exitCode !== 0) throw new Error(`${compiler} failed:\n${built.stderr}`);
  return { LD_PRELOAD: library };
}
