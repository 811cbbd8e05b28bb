/** Something the person at the keyboard can put right: its message is all they see. */
export class Problem extends Error {
  /** @override */
  name = 'Problem';
}

/**
 * Runs a command-line program. A Problem ends it with its message on one line and exit code 1;
 * any other failure is a bug of ours, and keeps its stack so that it can be reported.
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
