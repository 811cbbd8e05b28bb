import { runCommand } from './cli/commands.ts';
import { messageOf } from './config/operator-error.ts';

try {
  process.exitCode = await runCommand(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exit(1);
}
