import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { canInstallPackages, installPackages, thisMachine } from './debian.mjs';
import { findServer } from './programs.mjs';

/** Asked by Debian's packages whether they may start what they install (policy-rc.d, 101: no). */
const POLICY = '/usr/sbin/policy-rc.d';

/**
 * Sees to an nginx that the tests can start for themselves, where packages can be installed;
 * elsewhere those tests are skipped. So they are where systemd runs: there the package would
 * be started at every boot from then on.
 */
export function ensureNginx() {
  if (findServer('nginx') || existsSync('/run/systemd/system')) return;
  if (!canInstallPackages(thisMachine())) return;
  const isOurs = !existsSync(POLICY);
  if (isOurs) writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    installPackages(['nginx'], 'the tests run the product behind it');
  } finally {
    if (isOurs) rmSync(POLICY);
  }
}
