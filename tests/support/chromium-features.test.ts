import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { withoutFeatures } from './chromium-features.ts';

const BUNDLE = join(import.meta.dir, '../../node_modules/playwright-core/lib/coreBundle.js');

test('what Playwright turns off in Chromium stays off', async () => {
  const bundle = await Bun.file(BUNDLE).text();
  const [, list = ''] = /\bdisabledFeatures = \[(.*?)\]/s.exec(bundle) ?? [];
  const names = [...list.replace(/\/\/.*$/gm, '').matchAll(/"(\w+)"/g)].map(([, name]) => name);
  expect(names).not.toEqual([]);
  const ours = withoutFeatures.replace('--disable-features=', '').split(',');
  expect(names.filter((name) => !ours.includes(name ?? ''))).toEqual([]);
});
