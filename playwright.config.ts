import { defineConfig } from '@playwright/test';
import { findChromium } from './scripts/setup/programs.mjs';
import { withoutFeatures } from './tests/support/fixtures/chromium-features.ts';

const isRoot = process.getuid?.() === 0;

export default defineConfig({
  testDir: 'tests/e2e',
  testMatch: '**/*.e2e.ts',
  outputDir: 'test-results/browser',
  workers: 1,
  forbidOnly: true,
  // Nobody waits as long: these end a test that hangs.
  timeout: 10 * 60_000,
  // `toPass` has no limit of its own, so what never passes would only end with its test.
  expect: { timeout: 2 * 60_000, toPass: { timeout: 5 * 60_000 } },
  reporter: 'list',
  use: {
    // A click on what stays covered says so, instead of ending its test after ten minutes.
    actionTimeout: 2 * 60_000,
    screenshot: 'only-on-failure',
    // Tests of motion turn it on: drawing it takes a tenth of a test's CPU time.
    contextOptions: { reducedMotion: 'reduce' },
    launchOptions: {
      executablePath: findChromium() ?? undefined,
      args: [
        // Chromium refuses to sandbox itself as root.
        ...(isRoot ? ['--no-sandbox'] : []),
        '--disable-gpu',
        // A page lives for seconds, too short for optimised code to repay its compilation.
        '--js-flags=--no-opt --no-maglev',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        withoutFeatures,
      ],
    },
  },
});
