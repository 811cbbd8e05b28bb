import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { findServer } from '../../scripts/setup/programs.mjs';
import { hasPostgresql } from '../../scripts/setup/test-programs.mjs';

const SCRIPT = join(import.meta.dir, '../support/services/vanishing.ts');
/** It may drop packets in a network of its own, which takes root. */
const mayDrop = () =>
  findServer('unshare') !== null &&
  Bun.spawnSync(['unshare', '--net', 'iptables', '-L'], { stdio: ['ignore', 'ignore', 'ignore'] })
    .success;
const lacks = [!hasPostgresql() && 'PostgreSQL', !mayDrop() && 'root and iptables'].filter(Boolean);
const name = 'a machine that vanishes holds nobody up, and learns what it has lost';

test.skipIf(lacks.length > 0)(
  lacks.length > 0 ? `${name} (needs ${lacks.join(', ')})` : name,
  async () => {
    const { WHARF_TEST_POSTGRES, ...env } = process.env;
    const child = Bun.spawn(['unshare', '--net', process.execPath, SCRIPT], {
      env,
      stderr: 'pipe',
    });
    const [output, errors] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    expect([output.trim().split('\n'), errors]).toEqual([
      [
        'the lock of the row is free',
        'answered true',
        'the database is there again',
        'the lock of the chore is free',
        'its holder knows that it is lost',
      ],
      '',
    ]);
  },
  600_000,
);
