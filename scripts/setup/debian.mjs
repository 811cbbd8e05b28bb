import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Problem } from './problem.mjs';
import { findProgram } from './programs.mjs';

/** Asked by Debian's packages whether they may start what they install (policy-rc.d, 101: no). */
const POLICY = '/usr/sbin/policy-rc.d';

/**
 * Whether packages can be installed here without asking: root, Debian or a child of it, apt-get.
 * @param {{ uid: number | undefined, osRelease: string, path: string | undefined }} machine
 *   `osRelease` is the text of /etc/os-release, '' where there is none
 */
export function canInstallPackages({ uid, osRelease, path }) {
  const debian = /^ID(_LIKE)?=.*\b(debian|ubuntu)\b/m.test(osRelease);
  return uid === 0 && debian && findProgram(['apt-get'], path) !== null;
}

/** What `canInstallPackages` asks about, of the machine this runs on. */
export function thisMachine() {
  return { uid: process.getuid?.(), osRelease: readOsRelease(), path: process.env.PATH };
}

/**
 * Says what it does, then installs Debian packages without asking questions.
 * Throws Problem when apt-get fails.
 * @param {string[]} packages
 * @param {string} reason what they are for, for a person
 */
export function installPackages(packages, reason) {
  console.log(`Installing Debian's ${packages.join(', ')} with apt-get: ${reason}.`);
  apt(['update']);
  apt(['install', '-y', '--no-install-recommends', ...packages]);
}

/**
 * Installs a server's Debian package without the server being started. Throws Problem when apt-get fails.
 * @param {string} name
 * @param {string} reason what it is for, for a person
 */
export function installServer(name, reason) {
  const isOurs = !existsSync(POLICY);
  if (isOurs) writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    installPackages([name], reason);
  } finally {
    if (isOurs) rmSync(POLICY);
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
