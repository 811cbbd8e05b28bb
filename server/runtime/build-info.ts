import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readOutput } from '../../media/sandbox/spawn.ts';
import { SECOND } from '../contract/limits.ts';

const GIT_TIMEOUT_MS = 10 * SECOND;

/** What a program was built from; null where that is not known. */
export type Source = {
  /** In full; ends in `-dirty` where files differed from it. */
  commit: string | null;
  /** Of the commit, in UTC. */
  commit_date: string | null;
};

export type BuildInfo = Source & { sharp: string; libvips: string };

/** Put in by scripts/binary.ts; the sources have none. */
declare const WHARF_BUILD: BuildInfo;

/** What this program was built from: in the binary a constant, else what git and sharp say now. */
export async function readBuildInfo(): Promise<BuildInfo> {
  if (typeof WHARF_BUILD !== 'undefined') return WHARF_BUILD;
  const { default: sharp } = await import('sharp');
  const { versions } = sharp;
  return {
    ...readSource(join(import.meta.dir, '../..')),
    sharp: versions.sharp ?? '',
    libvips: versions.vips,
  };
}

/** The commit at `root` by git; without git, or a repository right there, nothing is known. */
export function readSource(root: string): Source {
  // One further up would be somebody else's.
  const has = Bun.which('git') && existsSync(join(root, '.git'));
  const git = (...args: string[]) =>
    readOutput(['git', '-C', root, ...args], GIT_TIMEOUT_MS)?.trim() ?? null;
  const commit = has ? git('describe', '--always', '--dirty', '--abbrev=40', '--exclude=*') : null;
  const date = commit && git('log', '-1', '--format=%cI');
  return { commit, commit_date: date ? new Date(date).toISOString() : null };
}
