import { existsSync } from 'node:fs';
import { canInstallPackages, installServer, thisMachine } from './debian.mjs';
import { findServer } from './programs.mjs';

/**
 * Sees to a Caddy (36 MiB) that the tests can start for themselves, where packages can be installed;
 * elsewhere those tests are skipped. So they are where systemd runs: there the package would
 * be started at every boot from then on.
 */
export function ensureCaddy() {
  if (findServer('caddy') || existsSync('/run/systemd/system')) return;
  if (!canInstallPackages(thisMachine())) return;
  installServer('caddy', 'the tests run the product behind it');
}
