import { runCommand } from './commands.ts';
import { OperatorError } from './operator-error.ts';

try {
  process.exitCode = await runCommand(process.argv.slice(2));
} catch (error) {
  const isPlain = error instanceof OperatorError;
  process.stderr.write(`${isPlain ? error.message : String((error as Error)?.stack ?? error)}\n`);
  process.exit(1);
}
