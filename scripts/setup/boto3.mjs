import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Problem } from './problem.mjs';
import { findS3TestPython } from './test-programs.mjs';

/** The version that `npm run test:s3 -- --boto3` installs. Newer ones may send other requests. */
const VERSION = '1.43.107';

/**
 * Returns a Python with a newer boto3 than Debian's, beside its other packages. It is installed from PyPI at the first call,
 * into the cache of the tests.
 * @param {string} root the project's folder
 */
export function ensureBoto3(root) {
  const folder = join(root, 'node_modules/.cache/wharf-tests', `boto3-${VERSION}`);
  const python = join(folder, 'bin/python');
  if (existsSync(python)) return python;
  const system = findS3TestPython();
  if (!system) throw new Problem('Python with boto3 and pytest is not installed.');
  const unfinished = `${folder}.part`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(dirname(folder), { recursive: true });
  run(system, ['-m', 'venv', '--system-site-packages', unfinished]);
  const unfinishedPython = join(unfinished, 'bin/python');
  run(unfinishedPython, ['-m', 'pip', 'install', '--quiet', `boto3==${VERSION}`]);
  renameSync(unfinished, folder);
  return python;
}

/**
 * @param {string} program
 * @param {string[]} parameters
 */
function run(program, parameters) {
  const { status } = spawnSync(program, parameters, { stdio: ['ignore', 'inherit', 'inherit'] });
  if (status === 0) return;
  throw new Problem(`${program} ${parameters.join(' ')} failed. It needs python3-venv and PyPI.`);
}
