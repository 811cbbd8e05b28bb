import { hasChromium } from './chromium.mjs';
import { findFfmpeg } from './ffmpeg.mjs';
import { findProgram, findServer } from './programs.mjs';
import { hasCeph, hasPostgresql, keepMainClusterOff } from './test-servers.mjs';

/**
 * A program that tests run beside the product. Without it, the tests that need it are skipped by name.
 * @typedef {object} TestProgram
 * @property {string} name
 * @property {string} purpose which tests need it
 * @property {string[]} packages Debian's
 * @property {() => boolean | Promise<boolean>} isInstalled
 * @property {boolean} [isService] where systemd runs, its packages start a server at every boot
 * @property {boolean} [isRequired] no server starts without it
 * @property {() => void} [prepare] what is to be done before its packages are installed
 * @property {string[]} [elsewhere] the command in the project's folder that installs it on any system but Debian
 */

/** @param {string} name */
const isOnPath = (name) => findProgram([name], process.env.PATH) !== null;

/** @type {TestProgram[]} */
export const TEST_PROGRAMS = [
  {
    name: 'ffmpeg',
    purpose: 'the server itself',
    packages: ['ffmpeg'],
    isInstalled: () => findFfmpeg(process.env) !== null,
    isRequired: true,
  },
  {
    name: 'Chromium',
    purpose: 'browser tests',
    packages: ['chromium-headless-shell'],
    isInstalled: hasChromium,
    // Ubuntu's package of that name only installs a snap.
    elsewhere: ['node_modules/.bin/playwright', 'install', '--with-deps', 'chromium'],
  },
  {
    name: 'PostgreSQL',
    purpose: 'tests on PostgreSQL',
    packages: ['postgresql'],
    isInstalled: hasPostgresql,
    prepare: keepMainClusterOff,
  },
  {
    name: 'Ceph',
    purpose: 'tests on S3',
    packages: ['radosgw', 'ceph-mon', 'ceph-osd', 'ceph-common'],
    isInstalled: hasCeph,
    isService: true,
  },
  {
    name: 'nginx',
    purpose: 'tests behind it',
    packages: ['nginx'],
    isInstalled: () => findServer('nginx') !== null,
    isService: true,
  },
  {
    name: 'Caddy',
    purpose: 'tests behind it',
    packages: ['caddy'],
    isInstalled: () => findServer('caddy') !== null,
    isService: true,
  },
  {
    name: 'ip',
    purpose: 'tests of the compose files',
    packages: ['iproute2'],
    isInstalled: () => findServer('ip') !== null,
  },
  {
    name: 'curl',
    purpose: 'tests of downloads and of the install script',
    packages: ['curl'],
    isInstalled: () => isOnPath('curl'),
  },
  {
    name: 'wget',
    purpose: 'tests of the install script',
    packages: ['wget'],
    isInstalled: () => isOnPath('wget'),
  },
  {
    name: 'ShellCheck',
    purpose: 'the check of shell scripts',
    packages: ['shellcheck'],
    isInstalled: () => isOnPath('shellcheck'),
  },
  {
    name: 'systemd-analyze',
    purpose: 'tests of the unit file',
    packages: ['systemd'],
    isInstalled: () => isOnPath('systemd-analyze'),
  },
];
