import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readOutput } from '../../media/sandbox/spawn.ts';
import { SECOND } from '../contract/limits.ts';

const GIT_TIMEOUT_MS = 10 * SECOND;

/** What a program was built from; null where that is unknown. */
export type Source = {
  /** The whole hash, with `-dirty` at the end where files were changed. */
  commit: string | null;
  /** The date of the commit in UTC. */
  commit_date: string | null;
};

export type BuildInfo = Source & { sharp: string; libvips: string };

/** scripts/binary.ts defines this in the binary; it is undefined in the sources. */
declare const WHARF_BUILD: BuildInfo;

/** Returns what this program was built from: in the binary a constant, else what git and sharp report now. */
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

/** Returns the commit at `root`. It is unknown without git, or where `root` itself is not a repository. */
export function readSource(root: string): Source {
  // A repository in a folder above would be another project's.
  const has = Bun.which('git') && existsSync(join(root, '.git'));
  const git = (...args: string[]) =>
    readOutput(['git', '-C', root, ...args], GIT_TIMEOUT_MS)?.trim() ?? null;
  const commit = has ? git('describe', '--always', '--dirty', '--abbrev=40', '--exclude=*') : null;
  const date = commit && git('log', '-1', '--format=%cI');
  return { commit, commit_date: date ? new Date(date).toISOString() : null };
}
