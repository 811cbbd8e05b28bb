import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Problem } from './problem.mjs';
import { findProgram } from './programs.mjs';

/** Debian's packages ask this script whether they can start what they install (policy-rc.d, 101: no). */
const POLICY = '/usr/sbin/policy-rc.d';

/**
 * The facts that decide how programs are installed. `osRelease` is the text of /etc/os-release, '' where
 * there is none; `path` is the PATH variable.
 * @typedef {{ uid: number | undefined, osRelease: string, path: string | undefined, hasSystemd: boolean }}
 *   Machine
 */

/**
 * Returns the facts of this machine.
 * @returns {Machine}
 */
export function thisMachine() {
  return {
    uid: process.getuid?.(),
    osRelease: readOsRelease(),
    path: process.env.PATH,
    hasSystemd: existsSync('/run/systemd/system'),
  };
}

/**
 * Whether packages can be installed here without asking, which needs root, Debian or a derivative, and
 * apt-get.
 * @param {Machine} machine
 */
export const canInstallPackages = (machine) => machine.uid === 0 && hasApt(machine);

/**
 * Whether this is Debian itself and not a derivative.
 * @param {Machine} machine
 */
export const isDebian = ({ osRelease }) => /^ID=debian$/m.test(osRelease);

/**
 * Whether this is Debian or a derivative with its apt-get.
 * @param {Machine} machine
 */
export function hasApt({ osRelease, path }) {
  const debian = /^ID(_LIKE)?=.*\b(debian|ubuntu)\b/m.test(osRelease);
  return debian && findProgram(['apt-get'], path) !== null;
}

/**
 * Returns the command by which a person installs Debian packages; on other systems, the names of the
 * packages.
 * @param {string[]} packages
 * @param {Machine} machine
 */
export function installCommand(packages, machine) {
  const names = packages.join(' ');
  if (!hasApt(machine)) return `your system's packages of ${names}`;
  return `${machine.uid === 0 ? '' : 'sudo '}apt-get install ${names}`;
}

/**
 * Prints what it does, then installs Debian packages without asking questions. Throws Problem when apt-get
 * fails.
 * @param {string[]} packages
 * @param {string} reason what the packages are for, to be printed
 */
export function updateAndInstall(packages, reason) {
  console.log(`Installing Debian's ${packages.join(', ')} with apt-get: ${reason}.`);
  updatePackageLists();
  installPackages(packages);
}

/** Updates the package lists. Throws Problem when apt-get fails. */
export const updatePackageLists = () => apt(['update']);

/**
 * Installs Debian packages without asking questions. Throws Problem when apt-get fails.
 * @param {string[]} packages
 */
export const installPackages = (packages) =>
  apt(['install', '-y', '--no-install-recommends', ...packages]);

/**
 * Calls `work` while no package starts the server that it installs.
 * @template Result
 * @param {() => Result} work
 * @param {string} [policy] the script that packages ask
 * @returns {Result}
 */
export function startingNothing(work, policy = POLICY) {
  const isOurs = !existsSync(policy);
  if (isOurs) writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    return work();
  } finally {
    if (isOurs) rmSync(policy);
  }
}

/** @param {string[]} parameters */
function apt(parameters) {
  const result = spawnSync('apt-get', ['-q', ...parameters], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
  });
  if (result.status === 0) return;
  const line = `${result.stdout}\n${result.stderr}`.split('\n').findLast((one) => /^E:/.test(one));
  throw new Problem(
    `apt-get ${parameters[0]} failed: ${line ?? result.error?.message ?? 'no reason was given'}`,
  );
}

function readOsRelease() {
  try {
    return readFileSync('/etc/os-release', 'utf8');
  } catch {
    return '';
  }
}
