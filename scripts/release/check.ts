import { join } from 'node:path';
import { Problem } from '../setup/problem.mjs';

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

/**
 * The part of a changelog about a version, under the version as its title; null where it has none, or
 * an empty one.
 * @param changelog in the form of Keep a Changelog: `## 1.2.3 - 2026-11-22`, also with `[1.2.3]`
 */
export function notesOf(changelog: string, version: string): string | null {
  const [, ...parts] = changelog.split(/^## /m);
  const isOfVersion = new RegExp(`^\\[?${RegExp.escape(version)}\\]?(?![\\w.-])`);
  const part = parts.find((one) => isOfVersion.test(one));
  const text = part?.slice(part.indexOf('\n')).trim();
  return text ? `# Wharf ${version}\n\n${text}\n` : null;
}
