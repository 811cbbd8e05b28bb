import { expect, test } from 'bun:test';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { ROOT } from '../../tests/support/server/program.ts';

const { scripts } = await Bun.file(join(ROOT, 'package.json')).json();

// npm sends signals to its shell only, which would leave the program running.
test.each(Object.entries<string>(scripts))('npm run %s replaces its shell', (_, command) => {
  const [last = ''] = command.split('&& ').slice(-1);
  expect(last).toMatch(/^([A-Z_]+=\S+ )*exec /);
});

/** Starts what serves PostgreSQL and S3, with addresses of servers that it need not start. */
const serve = () =>
  spawn(process.execPath, [join(ROOT, 'scripts/steps/serve-shared.ts')], {
    env: { ...process.env, WHARF_TEST_POSTGRES: 'postgres://here', WHARF_TEST_RGW: 'http://here' },
    stdio: 'pipe',
  });

test.each<[string, (child: ChildProcess) => void]>([
  [
    'after it has told the addresses',
    (child) => child.stdout?.once('data', () => child.stdin?.end()),
  ],
  [
    'before that',
    (child) => {
      child.stdout?.destroy();
      child.stdin?.end();
    },
  ],
])('what serves the tests ends without a word when the run is stopped %s', async (_, stop) => {
  const child = serve();
  const errors: string[] = [];
  child.stderr.on('data', (piece) => errors.push(String(piece)));
  stop(child);
  const [status] = await once(child, 'close');
  expect({ status, errors }).toEqual({ status: 0, errors: [] });
});
