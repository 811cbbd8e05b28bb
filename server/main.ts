import { isLogged, runCommand } from './cli/commands.ts';
import { messageOf } from './config/operator-error.ts';
import { sayFailure } from './runtime/console-lines.ts';

// Everything that Wharf writes is private: the database, the files, mails and backups. Only its own user may read them.
process.umask(0o077);

try {
  process.exitCode = await runCommand(process.argv.slice(2));
} catch (error) {
  const text = messageOf(error);
  if (isLogged(process.argv[2])) sayFailure(text);
  else process.stderr.write(`${text}\n`);
  process.exit(1);
}
