import { join } from 'node:path';
import type { DecoderOptions } from './decoder-process.ts';

/** The argument by which the built program starts itself as a decoder. */
export const DECODER = 'decode';

const ROOT = join(import.meta.dir, '../..');

/**
 * Returns how to start a decoder, and what it has to read for that.
 * @param librariesDir where the built program has extracted its native libraries
 */
export function decoderProgram(
  librariesDir: string,
): Pick<DecoderOptions, 'command' | 'reads' | 'lists'> {
  if (Bun.isStandaloneExecutable) {
    const command = [process.execPath, DECODER, librariesDir];
    return { command, reads: [process.execPath, librariesDir], lists: [] };
  }
  const sources = ['media', 'server', 'node_modules', 'package.json', 'tsconfig.json'];
  return {
    command: [process.execPath, join(import.meta.dir, 'main.ts')],
    reads: [process.execPath, ...sources.map((name) => join(ROOT, name))],
    // Bun looks for packages in every folder above a source file, and gives up where it can't list one.
    lists: ['/'],
  };
}
