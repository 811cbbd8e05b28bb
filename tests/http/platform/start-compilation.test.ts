import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { until } from '../../support/client/wait.ts';
import { ROOT } from '../../support/server/program.ts';
import { startServerProcess } from '../../support/server/server-process.ts';

/**
 * A loop at the top of a module has JavaScriptCore compile all of the module. In the built file that is a chunk with many
 * others: the table of a library once cost 1.5 MB of machine code.
 */
test('no module is compiled as a whole while the server starts, as it would be for a loop at its top', async () => {
  const server = await startServerProcess({ env: { BUN_JSC_reportCompileTimes: '1' } });
  const log = await server.log();
  await server.stop();
  // Functions are compiled, so the report is there.
  expect(log).toContain('LLIntFunctionCall');
  expect(log.match(/\S+#\w+:\[\S+ LLIntModule/g) ?? []).toEqual([]);
});

test('the code of the start is forgotten once the server runs, which still answers', async () => {
  const observer = join(ROOT, 'tests/support/fixtures/report-forgotten-code.ts');
  const server = await startServerProcess({ env: { BUN_OPTIONS: `"--preload=${observer}"` } });
  await until(async () => (await server.log()).includes('Most of the code is forgotten.'));
  for (const path of ['/health', '/login', '/buckets/', '/login']) {
    expect((await fetch(`${server.url}${path}`)).status).toBe(path === '/buckets/' ? 401 : 200);
  }
  await server.stop();
});

test('a start formats nothing by a locale, for which it would load 6 MiB of ICU', async () => {
  const observer = join(ROOT, 'tests/support/fixtures/report-intl.ts');
  const server = await startServerProcess({ env: { BUN_OPTIONS: `"--preload=${observer}"` } });
  // A page comes after the renderer has been loaded.
  for (const path of ['/health', '/login']) {
    expect((await fetch(`${server.url}${path}`)).status).toBe(200);
  }
  expect(await server.log()).not.toContain(' was used ');
  // A page with prices does, so the observer works.
  await fetch(`${server.url}/`);
  await until(async () => (await server.log()).includes(' was used '));
  await server.stop();
});
