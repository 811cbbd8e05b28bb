import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';

/** The kinds of machines that there is a program for. */
export const ARCHES = ['x64', 'arm64'] as const;
export type Arch = (typeof ARCHES)[number];

/** Bun's own names for them. */
const OVEN: Record<Arch, string> = { x64: 'bun-linux-x64', arm64: 'bun-linux-aarch64' };

/**
 * A node_modules with what is native for another architecture: its Bun, sharp and libvips, as
 * bun.lock knows them. Throws with Bun's words.
 * @param folder where to make it; what is there already is used again
 * @returns the node_modules, and in it the Bun that the binary is made of
 */
export async function foreignModules(root: string, arch: Arch, folder: string) {
  await mkdir(folder, { recursive: true });
  for (const name of ['package.json', 'bun.lock', 'bunfig.toml']) {
    await copyFile(join(root, name), join(folder, name));
  }
  const install = Bun.spawnSync(
    [
      process.execPath,
      'install',
      '--frozen-lockfile',
      '--production',
      '--ignore-scripts',
      '--os=linux',
      `--cpu=${arch}`,
    ],
    { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  if (!install.success) throw new Error(`Installing for ${arch} failed:\n${install.stderr}`);
  const modules = join(folder, 'node_modules');
  return { modules, executablePath: join(modules, '@oven', OVEN[arch], 'bin/bun') };
}
