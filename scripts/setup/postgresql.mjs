import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { canInstallPackages, installPackages, thisMachine } from './debian.mjs';
import { findProgram } from './programs.mjs';

/** Debian keeps the server out of PATH. */
const DEBIAN_FOLDER = '/usr/lib/postgresql';
const CLUSTER_SETTINGS = '/etc/postgresql-common/createcluster.conf';

/**
 * Sees to a PostgreSQL that the tests can start for themselves, where packages can be
 * installed; elsewhere those tests are skipped.
 */
export function ensurePostgresql() {
  if (hasPostgresql() || !canInstallPackages(thisMachine())) return;
  // The package would start a server of its own, which nobody would stop after the tests.
  if (!existsSync(CLUSTER_SETTINGS)) {
    mkdirSync(dirname(CLUSTER_SETTINGS), { recursive: true });
    writeFileSync(CLUSTER_SETTINGS, 'create_main_cluster = off\n');
  }
  installPackages(['postgresql'], 'the tests also run against it');
}

export function hasPostgresql() {
  if (findProgram(['postgres'], process.env.PATH)) return true;
  if (!existsSync(DEBIAN_FOLDER)) return false;
  const versions = readdirSync(DEBIAN_FOLDER);
  return versions.some((one) => existsSync(join(DEBIAN_FOLDER, one, 'bin/postgres')));
}
