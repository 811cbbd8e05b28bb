import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Problem } from './problem.mjs';
import { findProgram } from './programs.mjs';

/** Asked by Debian's packages whether they may start what they install (policy-rc.d, 101: no). */
const POLICY = '/usr/sbin/policy-rc.d';

/**
 * What decides how programs are installed. `osRelease` is the text of /etc/os-release, '' where there is
 * none; `path` the PATH variable.
 * @typedef {{ uid: number | undefined, osRelease: string, path: string | undefined, hasSystemd: boolean }} Machine
 */

/** The machine this runs on. @returns {Machine} */
export function thisMachine() {
  return {
    uid: process.getuid?.(),
    osRelease: readOsRelease(),
    path: process.env.PATH,
    hasSystemd: existsSync('/run/systemd/system'),
  };
}

/** Whether packages can be installed here without asking: root, Debian or a child of it, apt-get. @param {Machine} machine */
export const canInstallPackages = (machine) => machine.uid === 0 && hasApt(machine);

/** Whether this is Debian itself and no child of it. @param {Machine} machine */
export const isDebian = ({ osRelease }) => /^ID=debian$/m.test(osRelease);

/** Whether this is Debian or a child of it, with its apt-get. @param {Machine} machine */
export function hasApt({ osRelease, path }) {
  const debian = /^ID(_LIKE)?=.*\b(debian|ubuntu)\b/m.test(osRelease);
  return debian && findProgram(['apt-get'], path) !== null;
}

/**
 * The command, for a person, that installs Debian packages; on other systems, their names.
 * @param {string[]} packages
 * @param {Machine} machine
 */
export function installCommand(packages, machine) {
  const names = packages.join(' ');
  if (!hasApt(machine)) return `your system's packages of ${names}`;
  return `${machine.uid === 0 ? '' : 'sudo '}apt-get install ${names}`;
}

/**
 * Says what it does, then installs Debian packages without asking questions.
 * Throws Problem when apt-get fails.
 * @param {string[]} packages
 * @param {string} reason what they are for, for a person
 */
export function updateAndInstall(packages, reason) {
  console.log(`Installing Debian's ${packages.join(', ')} with apt-get: ${reason}.`);
  updatePackageLists();
  installPackages(packages);
}

/** Throws Problem when apt-get fails. */
export const updatePackageLists = () => apt(['update']);

/** Installs Debian packages without asking questions. Throws Problem when apt-get fails. @param {string[]} packages */
export const installPackages = (packages) =>
  apt(['install', '-y', '--no-install-recommends', ...packages]);

/**
 * Does work in which no package starts the server that it installs.
 * @template Result
 * @param {() => Result} work
 * @param {string} [policy] the file that packages ask
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
