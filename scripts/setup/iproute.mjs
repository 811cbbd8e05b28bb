import { canInstallPackages, installPackages, thisMachine } from './debian.mjs';
import { findServer } from './programs.mjs';

/**
 * Sees to the `ip` that the tests make networks of containers with, where packages can be installed; elsewhere
 * those tests are skipped.
 */
export function ensureIproute() {
  if (findServer('ip') || !canInstallPackages(thisMachine())) return;
  installPackages(['iproute2'], 'the tests run the services of the compose files in networks');
}
