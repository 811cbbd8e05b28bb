import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { canInstallPackages, installPackages, thisMachine } from './debian.mjs';
import { Problem } from './problem.mjs';
import { findProgram } from './programs.mjs';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** The system's Chromium; null where Playwright's own is to be used. */
export const findChromium = () => findProgram(NAMES, process.env.PATH);

/**
 * Sees to a Chromium for the browser tests: the system's, Debian's package, or else
 * Playwright's download. Throws Problem when there is none in the end.
 * @param {string} root the project's folder
 */
export function ensureChromium(root) {
  if (findChromium()) return;
  const machine = thisMachine();
  // Ubuntu's package of that name only installs a snap.
  if (canInstallPackages(machine) && /^ID=debian$/m.test(machine.osRelease)) {
    return installPackages(['chromium'], 'the browser tests run in it');
  }
  console.log("Fetching Playwright's Chromium for the browser tests, where it is missing.");
  const playwright = join(root, 'node_modules/.bin/playwright');
  const rights = machine.uid === 0 ? ['--with-deps'] : [];
  const result = spawnSync(playwright, ['install', ...rights, 'chromium'], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (result.status !== 0) {
    throw new Problem('there is no Chromium for the browser tests: install the package "chromium"');
  }
}
