import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dir, '../../..');

/**
 * Lints files in a folder of their own. Returns the paths of those that a plugin of ours refuses, sorted.
 * @param files the text of each, by its path in the project
 */
export async function findRefused(files: Record<string, string>): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'wharf-lint-'));
  try {
    const plugins = new Bun.Glob('scripts/lint/*.grit').scanSync(ROOT);
    for (const path of ['biome.json', ...plugins]) await cp(join(ROOT, path), join(folder, path));
    for (const [path, text] of Object.entries(files)) await Bun.write(join(folder, path), text);
    const biome = join(ROOT, 'node_modules/.bin/biome');
    const command = [biome, 'lint', '--vcs-enabled=false', '--reporter=github', '.'];
    const lint = Bun.spawn(command, { cwd: folder, stdout: 'pipe', stderr: 'ignore' });
    const stdout = await new Response(lint.stdout).text();
    await lint.exited;
    const paths = [...stdout.matchAll(/title=plugin,file=([^,]+),/g)].map(([, path = '']) => path);
    return paths.map((path) => path.slice(path.indexOf(folder) + folder.length + 1)).sort();
  } finally {
    await rm(folder, { recursive: true });
  }
}
