import { existsSync } from 'node:fs';
import { canInstallPackages, installPackages, thisMachine } from './debian.mjs';
import { findServer } from './programs.mjs';

/**
 * Sees to a Ceph whose RADOS Gateway the tests can start for themselves as a real S3 server, where
 * packages can be installed; elsewhere those tests are skipped. So they are where systemd runs: there the packages
 * would add services to every boot from then on.
 */
export function ensureCeph() {
  if (hasCeph() || existsSync('/run/systemd/system')) return;
  if (!canInstallPackages(thisMachine())) return;
  const packages = ['radosgw', 'ceph-mon', 'ceph-osd', 'ceph-common'];
  installPackages(packages, 'the tests also store objects in its S3 server');
}

export const hasCeph = () => findServer('radosgw') !== null;
