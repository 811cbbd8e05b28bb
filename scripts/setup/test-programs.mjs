import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findFfmpeg } from './ffmpeg.mjs';
import { findProgram, findServer, hasChromium, isExecutable } from './programs.mjs';

/** Debian keeps the server out of PATH. */
const DEBIAN_FOLDER = '/usr/lib/postgresql';
const CLUSTER_SETTINGS = '/etc/postgresql-common/createcluster.conf';

/** The programs of the S3 server that tests start. Debian has them in several packages. */
const CEPH_PROGRAMS = ['ceph-mon', 'ceph-osd', 'radosgw', 'radosgw-admin', 'monmaptool', 'ceph'];

/** Keeps Debian's package from starting a server of its own, which nobody would stop after the tests. */
function keepMainClusterOff() {
  if (existsSync(CLUSTER_SETTINGS)) return;
  mkdirSync(dirname(CLUSTER_SETTINGS), { recursive: true });
  writeFileSync(CLUSTER_SETTINGS, 'create_main_cluster = off\n');
}

/** Whether the tests can start a PostgreSQL server. */
export const hasPostgresql = () => findPostgresql() !== null && findPostgresUser() !== null;

/** Returns the folder of the newest installed server's programs; null where there is none. */
export function findPostgresql() {
  const versions = existsSync(DEBIAN_FOLDER) ? readdirSync(DEBIAN_FOLDER) : [];
  const newestFirst = versions.sort((a, b) => Number(b) - Number(a));
  const folders = newestFirst.map((version) => join(DEBIAN_FOLDER, version, 'bin'));
  const onPath = findProgram(['postgres'], process.env.PATH);
  if (onPath) folders.push(dirname(onPath));
  const config = findProgram(['pg_config'], process.env.PATH);
  if (config) folders.push(spawnSync(config, ['--bindir'], { encoding: 'utf8' }).stdout.trim());
  return folders.find((folder) => isExecutable(join(folder, 'postgres'))) ?? null;
}

/**
 * Returns the user that runs the server. PostgreSQL refuses to run as root, so root uses the user that
 * Debian's package creates.
 * @returns {{ command: string[], ids: { uid: number, gid: number } | null } | null} the words that run a
 *   command as that user; `ids` is null where it is our own user; null where there is no such user
 */
export function findPostgresUser() {
  if (process.getuid?.() !== 0) return { command: [], ids: null };
  const id = (/** @type {string} */ flag) =>
    Number.parseInt(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout, 10);
  const [uid, gid] = [id('-u'), id('-g')];
  if (!uid || !gid || !findProgram(['setpriv'], process.env.PATH)) return null;
  const identity = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'];
  return { command: ['setpriv', ...identity, '--'], ids: { uid, gid } };
}

/** Whether the tests can start Ceph with its RADOS Gateway as a real S3 server. */
export const hasCeph = () =>
  CEPH_PROGRAMS.every((name) => findProgram([name], process.env.PATH) !== null);

/** The modules of Python that Ceph's tests of S3 import. */
const S3_TEST_MODULES = ['boto3', 'isodate', 'munch', 'pytest', 'pytz', 'requests'];

/** Returns a Python that can run Ceph's tests of S3; null where there is none. */
export function findS3TestPython() {
  // Debian's packages are for Debian's Python, which may not be the first on PATH.
  const pythons = [findProgram(['python3'], process.env.PATH), '/usr/bin/python3'];
  const code = `import ${S3_TEST_MODULES.join(', ')}`;
  const canImport = (/** @type {string} */ python) =>
    spawnSync(python, ['-c', code], { stdio: 'ignore' }).status === 0;
  return pythons.find((python) => python !== null && canImport(python)) ?? null;
}

/**
 * A program that tests run beside the product. Without it, the tests that need it are skipped by name.
 * @typedef {object} TestProgram
 * @property {string} name
 * @property {string} purpose which tests need it
 * @property {string[]} packages Debian's packages; none where Debian has no package of it
 * @property {() => boolean | Promise<boolean>} isInstalled
 * @property {boolean} [isService] whether its packages start a server at every boot where systemd runs
 * @property {boolean} [isRequired] whether no server starts without it
 * @property {() => void} [prepare] called before its packages are installed
 * @property {string[]} [elsewhere] the command in the project's folder that installs it on any system
 *   except Debian
 * @property {string} [page] where a program without packages is installed from
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
    name: 'PgBouncer',
    purpose: 'tests behind it',
    packages: ['pgbouncer'],
    isInstalled: () => findServer('pgbouncer') !== null,
    isService: true,
  },
  {
    name: 'Ceph',
    purpose: 'tests on S3',
    packages: ['radosgw', 'ceph-mon', 'ceph-osd', 'ceph-common'],
    isInstalled: hasCeph,
    isService: true,
  },
  {
    name: "Ceph's tests of S3",
    purpose: 'tests of the S3 API',
    packages: [
      ...['python3', 'python3-boto3', 'python3-pytest'],
      ...['python3-isodate', 'python3-munch', 'python3-requests', 'python3-tz'],
    ],
    isInstalled: () => findS3TestPython() !== null,
  },
  ...['awscli', 's3cmd', 'rclone', 'restic'].map((name) => ({
    name,
    purpose: 'the test of S3 clients',
    packages: [name],
    isInstalled: () => isOnPath(name === 'awscli' ? 'aws' : name),
  })),
  {
    name: 'Terraform',
    purpose: 'the test of its state in a bucket',
    packages: [],
    page: 'https://developer.hashicorp.com/terraform/install',
    isInstalled: () => isOnPath('terraform'),
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
    name: 'iptables',
    purpose: 'the test of a machine that vanishes',
    packages: ['iptables'],
    isInstalled: () => findServer('iptables') !== null,
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
