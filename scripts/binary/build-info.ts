import { join } from 'node:path';
import { type BuildInfo, readSource } from '../../server/runtime/build-info.ts';

/**
 * What the binary says of itself in `version --json`. Where a build has no git, as in an image,
 * WHARF_COMMIT and WHARF_COMMIT_DATE may name what it is made from.
 * @param modules the node_modules with sharp for `arch`
 */
export async function buildInfo(root: string, modules: string, arch: string): Promise<BuildInfo> {
  const { WHARF_COMMIT, WHARF_COMMIT_DATE } = process.env;
  const { version } = await Bun.file(join(modules, 'sharp/package.json')).json();
  const libvips = join(modules, '@img', `sharp-libvips-linux-${arch}`, 'versions.json');
  const { vips } = await Bun.file(libvips).json();
  const source = WHARF_COMMIT
    ? { commit: WHARF_COMMIT, commit_date: WHARF_COMMIT_DATE || null }
    : readSource(root);
  return { ...source, sharp: version, libvips: vips };
}
