import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** The command that runs the sources, without arguments. */
export const sourceCommand: string[] = [
  join(ROOT, 'node_modules/.bin/bun'),
  join(ROOT, 'server/main.ts'),
];

/**
 * The built file that black-box tests run, which `npm test` passes in WHARF_PROGRAM, or null if they run
 * the sources.
 */
export const builtProgram: string | null = process.env.WHARF_PROGRAM || null;

/** The command that runs the program under test, without arguments. */
export const programCommand: string[] = builtProgram ? [builtProgram] : sourceCommand;

/**
 * The environment in which the program under test hashes passwords cheaply, because at its real cost this
 * takes longer than most tests. Its own tests check that cost.
 */
export const cheapPasswords = {
  BUN_OPTIONS: `"--preload=${join(ROOT, 'tests/support/fixtures/cheap-passwords.ts')}"`,
};

/** The program's name in its help. */
export const programName: string = builtProgram ? 'wharf' : 'bun server/main.ts';
