import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { canInstallPackages, thisMachine, updateAndInstall } from './debian.mjs';
import { Problem } from './problem.mjs';
import { findProgram, isExecutable } from './programs.mjs';

const MISSING =
  'ffmpeg and ffprobe are missing: install the package "ffmpeg" (Debian, Ubuntu: sudo apt install ffmpeg) or set FFMPEG_PATH to the folder that holds both';

/**
 * Returns where ffmpeg and ffprobe are; null when one of them is not on PATH. FFMPEG_PATH, when set, is
 * used instead of PATH: a folder that contains both, or the ffmpeg beside ffprobe. Throws Problem when they
 * are not there.
 * @param {NodeJS.ProcessEnv} env
 */
export function findFfmpeg(env) {
  if (env.FFMPEG_PATH) return besideEachOther(env.FFMPEG_PATH);
  const ffmpeg = findProgram(['ffmpeg'], env.PATH);
  const ffprobe = findProgram(['ffprobe'], env.PATH);
  return ffmpeg && ffprobe ? { ffmpeg, ffprobe } : null;
}

/** Finds ffmpeg, or installs Debian's package where possible. Throws Problem where it can't. */
export function ensureFfmpeg() {
  if (findFfmpeg(process.env)) return;
  if (!canInstallPackages(thisMachine())) throw new Problem(MISSING);
  updateAndInstall(['ffmpeg'], 'it converts videos');
  if (!findFfmpeg(process.env)) throw new Problem(MISSING);
}

/** @param {string} path */
function besideEachOther(path) {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  const ffmpeg = isFolder ? join(path, 'ffmpeg') : path;
  const ffprobe = join(dirname(ffmpeg), 'ffprobe');
  if (isExecutable(ffmpeg) && isExecutable(ffprobe)) return { ffmpeg, ffprobe };
  throw new Problem(`FFMPEG_PATH is ${path}, but there are no ffmpeg and ffprobe`);
}
