/** A problem that the user of a command can fix. Only its message is printed. */
export class Problem extends Error {
  /** @override */
  name = 'Problem';
}

/**
 * Runs a command-line program. A Problem ends it with its message on one line and exit code 1. Any other
 * failure is a bug and is printed with its stack, so that it can be reported.
 * @param {() => Promise<void> | void} program
 */
export async function runProgram(program) {
  try {
    await program();
  } catch (error) {
    console.error(error instanceof Problem ? `wharf: ${error.message}` : error);
    process.exitCode = 1;
  }
}
