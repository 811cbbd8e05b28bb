import { parseArgs } from 'node:util';
import { readOutput } from '../../media/sandbox/spawn.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { readSetup } from '../config/config.ts';
import { SECOND } from '../contract/limits.ts';
import { readBuildInfo } from '../runtime/build-info.ts';
import { findFfmpegBinaries } from '../runtime/ffmpeg-binaries.ts';

const FFMPEG_TIMEOUT_MS = 5 * SECOND;

/**
 * Prints the version. It uses nothing that may be unavailable: neither the database nor the
 * storage. Of the settings it only reads which of them are set.
 */
export async function runVersion(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: { json: { type: 'boolean', default: false } } });
  const { name, version } = packageJson;
  if (!values.json) {
    process.stdout.write(`${name} ${version}\n`);
    return 0;
  }
  const { engine, storage, ffmpegPath } = readSetup();
  const { commit, commit_date, sharp, libvips } = await readBuildInfo();
  const about = {
    name,
    version,
    commit,
    commit_date,
    bun: Bun.version,
    sharp,
    libvips,
    ffmpeg: ffmpegVersion(ffmpegPath),
    engine,
    storage,
    platform: process.platform,
    arch: process.arch,
  };
  process.stdout.write(`${JSON.stringify(about, null, 2)}\n`);
  return 0;
}

/**
 * Returns the version that ffmpeg prints, such as `5.1.6-0+deb12u1`; null where no ffmpeg starts.
 */
function ffmpegVersion(ffmpegPath: string | null): string | null {
  const tools = findFfmpegBinaries(ffmpegPath);
  if (!tools) return null;
  const output = readOutput([tools.ffmpeg, '-version'], FFMPEG_TIMEOUT_MS) ?? '';
  return /^ffmpeg version (\S+)/.exec(output)?.[1] ?? null;
}
