import { runCommand } from './cli/commands.ts';
import { messageOf } from './config/operator-error.ts';

// Everything that Wharf writes is private: the database, the files, mails and backups. Only its own user may read them.
process.umask(0o077);

try {
  process.exitCode = await runCommand(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exit(1);
}
