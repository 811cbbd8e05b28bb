import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { installCommand, thisMachine } from './debian.mjs';
import { Problem } from './problem.mjs';

/**
 * Returns the version of Bun that package.json pins.
 * @param {string} root
 */
function pinnedBun(root) {
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).dependencies.bun;
}

/**
 * Returns the path of the installed Bun, whether or not it is there.
 * @param {string} root
 */
export const bunPath = (root) => join(root, 'node_modules/.bin/bun');

/**
 * Installs the packages of bun.lock into `root`/node_modules. When everything is installed this takes
 * milliseconds, so it needs no stamp file, which could be wrong. It prints something only when it
 * downloads. Throws Problem when it fails.
 * @param {string} root the project's folder
 */
export function installDependencies(root) {
  const version = pinnedBun(root);
  const local = bunPath(root);
  // A package manager that runs no install scripts leaves a file that only prints "postinstall script was
  // not run", and `bun install` takes that for current.
  const works = existsSync(local) && isInstalled(local, version);
  if (!works) {
    rmSync(join(root, 'node_modules/bun'), { recursive: true, force: true });
    console.log('Installing the dependencies in bun.lock. This happens only once.');
  }
  const [command, ...first] = works ? [local] : ['npx', '--yes', `bun@${version}`];
  const result = spawnSync(command, [...first, 'install', '--frozen-lockfile'], {
    cwd: root,
    // With NODE_ENV=production the build's own tools might be left out.
    env: { ...process.env, NODE_ENV: 'development' },
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
  });
  if (!works && result.error && 'code' in result.error && result.error.code === 'ENOENT') {
    const install = installCommand(['npm'], thisMachine());
    throw new Problem(
      `npx, which comes with npm, is needed to install Bun. To install: ${install}`,
    );
  }
  if (result.error || result.status !== 0) {
    throw new Problem(`the dependencies could not be installed: ${reason(result)}`);
  }
  if (!isInstalled(local, version)) {
    throw new Problem(`Bun ${version} was installed but does not start: try node_modules/.bin/bun`);
  }
}

/** @param {string} program @param {string} version */
function isInstalled(program, version) {
  const result = spawnSync(program, ['--version'], { encoding: 'utf8' });
  return result.status === 0 && result.stdout.trim() === version;
}

/** @param {import('node:child_process').SpawnSyncReturns<string>} result */
function reason(result) {
  if (result.error) return result.error.message;
  const lines = result.stderr.split('\n').map((line) => line.trim());
  const telling = lines.filter((line) => line && !line.startsWith('npm warn'));
  return telling.find((line) => /error/i.test(line)) ?? telling.at(-1) ?? 'no reason was given';
}

/**
 * Builds islands and styles where they have changed, which `scripts/build.ts` decides. Throws Problem below
 * the build's own messages.
 * @param {string} root the project's folder
 */
export function buildAssets(root) {
  const result = spawnSync(bunPath(root), ['scripts/build.ts'], { cwd: root, stdio: 'inherit' });
  if (result.status !== 0) throw new Problem('the pages could not be built; see the output above');
}

/**
 * Builds the program from the current sources. Throws Problem below the build's own messages.
 * @param {string} root the project's folder
 * @returns {string} its path
 */
export function buildProgram(root) {
  const result = spawnSync(bunPath(root), ['scripts/binary.ts'], { cwd: root, stdio: 'inherit' });
  if (result.status !== 0)
    throw new Problem('the program could not be built; see the output above');
  return join(root, 'dist/wharf');
}
