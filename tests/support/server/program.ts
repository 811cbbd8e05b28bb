import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** What starts the sources, before its arguments. */
export const sourceCommand: string[] = [
  join(ROOT, 'node_modules/.bin/bun'),
  join(ROOT, 'server/main.ts'),
];

/**
 * The built file that black-box tests run, as `npm test` names it in WHARF_PROGRAM; null when they run
 * the sources. Runs in Node and in Bun.
 */
export const builtProgram: string | null = process.env.WHARF_PROGRAM || null;

/** What starts the program under test, before its arguments. */
export const programCommand: string[] = builtProgram ? [builtProgram] : sourceCommand;

/** How the program names itself in its help. */
export const programName: string = builtProgram ? 'wharf' : 'bun server/main.ts';
