import { join } from 'node:path';
import { Problem } from '../setup/problem.mjs';
import { notesOf } from './notes.ts';

/**
 * What a release of the commit that is checked out at `root` is called, and its part of the changelog.
 * Throws Problem where the commit is not what would be built, or none to release.
 */
export async function checkRelease(root: string): Promise<{ version: string; notes: string }> {
  const changed = git(root, 'status', '--porcelain');
  if (changed === null)
    throw new Problem(`${root} is not a git repository; a release needs a commit`);
  const [first, ...more] = changed.split('\n').map((line) => line.slice(3));
  if (first) {
    const others = more.length > 0 ? ` and ${more.length} more` : '';
    throw new Problem(
      `the working tree has uncommitted changes: commit or remove ${first}${others}`,
    );
  }
  const { version } = await Bun.file(join(root, 'package.json')).json();
  const notes = notesOf(await Bun.file(join(root, 'CHANGELOG.md')).text(), version);
  if (!notes)
    throw new Problem(`CHANGELOG.md has no section for ${version}: add '## ${version} - DATE'`);
  const tag = `v${version}`;
  const tagged = git(root, 'rev-parse', '--quiet', '--verify', `refs/tags/${tag}^{commit}`);
  if (tagged && tagged !== git(root, 'rev-parse', 'HEAD')) {
    throw new Problem(
      `${tag} already exists at another commit: check it out, or raise the version in package.json`,
    );
  }
  return { version, notes };
}

/** What git says; null where it fails. */
function git(root: string, ...args: string[]): string | null {
  const { success, stdout } = Bun.spawnSync(['git', '-C', root, ...args], { stderr: 'ignore' });
  return success ? stdout.toString().trimEnd() : null;
}
