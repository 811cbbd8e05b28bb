import { open, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { readOutput } from '../../../media/sandbox/spawn.ts';
import { SECOND } from '../../contract/limits.ts';
import { formatBytes } from '../../contract/units.ts';
import { describeNetworkDisk, findNetworkType } from '../../platform/mounts.ts';
import { findFfmpegBinaries } from '../../runtime/ffmpeg-binaries.ts';
import { type Finding, fine, problem, reasonOf } from './finding.ts';

/** With less than so many times the reserve, uploads will soon be refused. */
const RESERVE_WARNING_FACTOR = 2;
const SYNC_COUNT = 20;
const MAX_SYNC_MS = 50;
const FFMPEG_TIMEOUT_MS = 20 * SECOND;
const ENCODERS = ['libx264', 'aac'];

/** Checks that a folder's disk is fast, and has room beside the reserve, which is in bytes. */
export async function checkDisk(dataDir: string, reserve: number): Promise<Finding[]> {
  try {
    const { bavail, bsize } = await statfs(dataDir);
    return [spaceOf(dataDir, bavail * bsize, reserve), await checkSync(dataDir)];
  } catch (error) {
    return [
      problem(
        'space',
        `${dataDir}: ${reasonOf(error)}`,
        'Set DATA_DIR to a folder that the server can write to.',
      ),
    ];
  }
}

/** Checks that SQLite is on a disk of this machine. */
export function* checkFileSystem(dataDir: string): Generator<Finding> {
  const type = findNetworkType(dataDir);
  if (type) yield problem('disk', ...describeNetworkDisk(dataDir, type));
}

function spaceOf(dataDir: string, free: number, reserve: number): Finding {
  const text = `${formatBytes(free)} free in ${dataDir}`;
  if (free >= RESERVE_WARNING_FACTOR * reserve) return fine('space', text);
  return problem(
    'space',
    `${text}; uploads and processing stop below ${formatBytes(reserve)}`,
    'Free up space, move DATA_DIR to a larger disk, or set DISK_RESERVE_BYTES.',
  );
}

/** Measures a synced write, for which every upload waits, and on SQLite every change of a row. */
async function checkSync(dataDir: string): Promise<Finding> {
  const path = join(dataDir, `doctor-${process.pid}`);
  const handle = await open(path, 'w', 0o600);
  const times: number[] = [];
  try {
    for (let i = 0; i < SYNC_COUNT; i += 1) {
      const began = performance.now();
      await handle.write(Buffer.alloc(4096));
      await handle.sync();
      times.push(performance.now() - began);
    }
  } finally {
    await handle.close();
    await rm(path, { force: true });
  }
  const median = times.sort((a, b) => a - b)[SYNC_COUNT / 2] ?? 0;
  const text = `a synced write takes ${median.toFixed(1)} ms`;
  if (median <= MAX_SYNC_MS) return fine('disk', text);
  return problem(
    'disk',
    text,
    'Use a local SSD for DATA_DIR; a network disk or an SD card makes every upload wait.',
  );
}

export function checkFfmpeg(ffmpegPath: string | null): Finding {
  const change =
    "Install an ffmpeg with libx264, such as Debian's, or set FFMPEG_PATH to its folder.";
  const tools = findFfmpegBinaries(ffmpegPath);
  if (!tools) return problem('ffmpeg', 'ffmpeg and ffprobe were not found', change);
  const listed = readOutput([tools.ffmpeg, '-hide_banner', '-encoders'], FFMPEG_TIMEOUT_MS) ?? '';
  const missing = ENCODERS.filter((name) => !new RegExp(`^ [VA]\\S+ ${name} `, 'm').test(listed));
  if (missing.length === 0) return fine('ffmpeg', `${tools.ffmpeg} has ${ENCODERS.join(' and ')}`);
  return problem('ffmpeg', `${tools.ffmpeg} lacks ${missing.join(' and ')}`, change);
}
