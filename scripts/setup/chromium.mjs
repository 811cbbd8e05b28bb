import { spawnSync } from 'node:child_process';
import { findProgram } from './programs.mjs';

/** The first has no windows, and takes a fifth less of the processor for the same pages. */
const NAMES = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
];

/** The system's Chromium; null where Playwright's own is to be used. */
export const findChromium = () => findProgram(NAMES, process.env.PATH);

/** Whether there is a Chromium for the browser tests that starts: the system's, or Playwright's own. */
export async function hasChromium() {
  const path = findChromium() ?? (await import('@playwright/test')).chromium.executablePath();
  // Ubuntu's file of that name may only say that a snap is to be installed; Playwright's may lack libraries.
  return spawnSync(path, ['--version'], { stdio: 'ignore' }).status === 0;
}
