import { DECODER } from '../../media/decoder/program.ts';
import { LAUNCHER } from '../../media/sandbox/policy.ts';
import { isSystemError } from '../platform/system-error.ts';

type Command = {
  /** The arguments of the command, for the help. */
  usage: string;
  /** One line for the list of commands. */
  summary: string;
  /** What the command does, for `--help` after its name. */
  help: string;
  /**
   * Set for a command that changes nothing, which may end when the reader of its output has gone.
   */
  onlyLooks?: true;
  /** Returns the exit code; undefined for a command that keeps running after it has returned. */
  run(args: string[]): Promise<number | undefined>;
};

/** The argument by which the program starts itself as its media process. */
const MEDIA = 'media-process';

const PROGRAM = Bun.isStandaloneExecutable ? 'wharf' : 'bun server/main.ts';
/** The command that starts this program again. The binary contains its own interpreter. */
const SELF = Bun.isStandaloneExecutable ? [process.execPath] : [process.execPath, Bun.main];

/** The commands. Each loads only its own modules. */
const COMMANDS: Record<string, Command> = {
  serve: {
    usage: '[--role all|web|media]',
    summary: 'start the server (the default command)',
    help: `Migrates the database and listens at HOST and PORT. On SIGTERM or Ctrl+C it finishes the requests in
progress; files being encoded resume at the next start, or in another process.

  --role all     answer requests and encode (the default)
  --role web     answer requests; leave encoding to other processes
  --role media   encode; answer only /health and /metrics at HOST and PORT

Any number of web and media processes can share one PostgreSQL database (DATABASE_URL).`,
    async run(args) {
      (await import('../runtime/io-threads.ts')).addIoThreads();
      const { roleOf } = await import('../runtime/roles.ts');
      const role = roleOf(args);
      const [{ loadConfig }, { serve }] = await Promise.all([
        import('../config/config.ts'),
        import('./serve.ts'),
      ]);
      await serve(loadConfig(), [...SELF, MEDIA], role);
      return undefined;
    },
  },
  backup: {
    usage: 'DIR [--verify]',
    summary: 'back up the database, files and secret to a folder while the server runs',
    help: `Copies a snapshot of the database, then every object it refers to; the server deletes none of them in the
meantime. Later runs into the same folder copy only new objects, and remove those that no longer exist.
Each copy is read back and its SHA-256 recorded. DIR also receives the secret: keep it as private as the
server. Emails waiting in the outbox are not included.

  --verify   also read back what earlier runs copied, and replace what is damaged. Then restore the backup
             into a scratch folder inside DIR, start a server there that does no work by itself, check
             the rows against the objects, and say how old the newest row is

Exits with 0 if everything was copied; 1 if it failed, or if the server itself is missing objects, which are
listed. With DATABASE_URL, or files in S3, it says what to use instead.`,
    run: async (args) => (await import('./backup/backup-command.ts')).runBackup(args),
  },
  restore: {
    usage: 'DIR',
    summary: 'restore a backup into an empty DATA_DIR',
    help: `Copies everything that 'backup' wrote to DIR, compares each object with its SHA-256, then checks that the
database and the objects match. DATA_DIR must be empty, and no server may be using it.

Exits with 0 if everything was restored intact; 1 if not. Damaged objects are listed, everything else is restored.`,
    run: async (args) => (await import('./backup/restore-command.ts')).runRestore(args),
  },
  import: {
    usage: 's3 BUCKET_ID SOURCE[/FOLDER]',
    summary: 'copy a bucket of another S3 server, such as MinIO, into one of this server',
    help: `The running server does it, and goes on with it if this command ends, or after a restart. Files that are there
already with the same bytes are skipped, others are replaced, so that it can be repeated until nothing is missing.

  BUCKET_ID          the bucket of this server
  SOURCE[/FOLDER]    the bucket of the other server, or a folder in it
  --endpoint URL     the other server; Amazon S3 by default
  --region REGION    us-east-1 by default
  --folder FOLDER    put the files into this folder of the bucket
  --public           make the files public; they are private by default
  --no-wait          end once the import is started

REMOTE_ACCESS_KEY_ID and REMOTE_SECRET_ACCESS_KEY are the access key of the other server. A private address needs
WEBHOOK_ALLOW_PRIVATE=yes, also for the server.

Exits with 0 if everything was copied; 1 if not, and then says what and why.`,
    run: async (args) => (await import('./import/command.ts')).runImport(args),
  },
  export: {
    usage: 'BUCKET_ID TARGET',
    summary: 'write the files of a bucket to a folder or to another S3 server',
    help: `Writes each current file as it was uploaded, at its path. Files that are there already are skipped, so that it can
be repeated. A server may be running. Nothing is deleted from the target.

  BUCKET_ID              the bucket of this server
  TARGET                 a folder of this machine, or s3://BUCKET[/FOLDER] of another server
  --endpoint URL         the other server; Amazon S3 by default
  --region REGION        us-east-1 by default

REMOTE_ACCESS_KEY_ID and REMOTE_SECRET_ACCESS_KEY are the access key of the other server. Images whose originals
aren't kept are written as they are delivered; videos whose originals aren't kept are named and left out.

Exits with 0 if all files are there; 1 if not, and then says which and why.`,
    run: async (args) => (await import('./export/command.ts')).runExport(args),
  },
  'migrate-database': {
    usage: '',
    summary: 'move the data from SQLite in DATA_DIR to PostgreSQL at DATABASE_URL',
    help: `Creates the tables in the empty database at DATABASE_URL and copies every row in one transaction, then
compares and prints the row count and checksum of each table. Stop the server first. Files stay where they
are. APP_SECRET must be the value in DATA_DIR/secret.

Exits with 0 if all rows were copied; 1 if not, and then PostgreSQL is as empty as before.`,
    run: async (args) => (await import('./migrate-database/command.ts')).runTransfer(args),
  },
  admin: {
    usage: 'credit|ban|unban|reset-password ADDRESS, or confirm-clock',
    summary: 'credit, ban or unban an account, reset its password, or confirm the clock',
    help: `  credit ADDRESS USD
                   add credit to the account with this email address; use a negative amount to deduct
                   it. The change is recorded in the ledger
    --id ID        add it only if none was added with this id, so that the command can be repeated
  ban, unban       ban an account, or lift the ban. A ban ends all sessions and stops API keys, tokens
                   and delivery; a running server applies it within five seconds
  reset-password   set a new random password, print it once, and end all sessions of the account
    --stdin        read the new password from standard input instead
  confirm-clock    confirm that the clock of this machine is right, after the server has paused charges and
                   deletions because of it

Every action is recorded in the audit log. A server may be running. Exits with 0 on success; 1 if nothing was
changed.`,
    run: async (args) => (await import('./admin/admin-command.ts')).runAdmin(args),
  },
  payments: {
    usage: 'reconcile --since DATE',
    summary: 'credit payments that the providers received and the database lacks',
    help: `Lists the payments, refunds and disputes that Stripe and Cryptomus have had since a day, such as 2026-11-21, and
settles what is missing or different here. Run it after you have restored a backup, with the day of the
backup. It can be repeated: every payment is credited once.

A server may be running. Exits with 0 if every payment is settled; 1 if not.`,
    run: async (args) => (await import('./payments/command.ts')).runPayments(args),
  },
  'rotate-secret': {
    usage: '[--finish]',
    summary: 'replace the secret that all keys are derived from',
    help: `Without an option, puts a new secret beside the old one in DATA_DIR, or prints one if APP_SECRET is set. Restart
the server afterwards: it encrypts its data with the new secret, and accepts what the old one made.

  --finish   remove the old secret, once nothing is encrypted with it. What it signed stops working
             at the next restart: sessions, access tokens and known browsers from before the rotation

A server may be running. Exits with 0 on success; 1 if nothing was changed.`,
    run: async (args) => (await import('./rotate-secret/command.ts')).runRotateSecret(args),
  },
  doctor: {
    usage: '[--json] [--s3-request FILE]',
    summary: 'check the installation and say how to fix each problem',
    help: `Checks the disk, ffmpeg, storage, database, mail server and payment providers, then calls the running server through its public
address, as a browser would: whether the address reaches this server, whether large uploads, range requests
and WebSockets pass through the proxy, and whether the clocks match.

  --json              print one JSON object per line
  --s3-request FILE   check a request that an S3 client was refused instead, and say what differs from what was
                      signed: a curl command, the lines of HTTP, or a presigned URL; - reads the standard input

Exits with 0 if no problem was found, 1 otherwise.`,
    onlyLooks: true,
    run: async (args) => (await import('./doctor/command.ts')).runDoctor(args),
  },
  fsck: {
    usage: '[--json] [--remove-orphans]',
    summary: 'compare the database with the stored objects',
    help: `Prints a line for each object that the database does not refer to, row whose object is missing, wrong total,
overdue deletion, and temporary file of a process that has ended. Changes nothing without --remove-orphans. A
server may be running.

  --json             print one JSON object per line
  --remove-orphans   have the server delete the objects that the database does not refer to, except
                     those of the last day; a backup that is running delays this

Exits with 0 if no problem was found, 1 if there is one, 2 if the check could not run.`,
    onlyLooks: true,
    run: async (args) => (await import('./fsck/command.ts')).runFsck(args),
  },
  version: {
    usage: '[--json]',
    summary: 'print the version',
    help: `Prints the name and the version of the program.

  --json   print a JSON object that also has the commit and its date, the versions of Bun, sharp, libvips and
           ffmpeg (null if unknown), whether the database is sqlite or postgres, and whether files
           are on disk or in s3

Opens neither the database nor the storage, and works with invalid settings too.`,
    onlyLooks: true,
    run: async (args) => (await import('./version.ts')).runVersion(args),
  },
};

/** How the program starts itself as one of its other processes. */
const INTERNAL_COMMANDS: Record<string, (args: string[]) => Promise<void>> = {
  [MEDIA]: async () => (await import('../runtime/media-process.ts')).runMediaProcess(),
  [DECODER]: async (args) =>
    (await import('../runtime/decoder-process.ts')).runDecoderProcess(args),
  [LAUNCHER]: async (args) => (await import('../../media/sandbox/launcher.ts')).launch(args),
};

/**
 * Runs the command of a command line. Returns the exit code; undefined for a command that keeps
 * running.
 */
export async function runCommand([name = 'serve', ...args]: string[]): Promise<number | undefined> {
  handleBrokenPipe(() => {
    if (Object.hasOwn(COMMANDS, name) && COMMANDS[name]?.onlyLooks)
      process.exit(BROKEN_PIPE_EXIT_CODE);
  });
  if (Object.hasOwn(INTERNAL_COMMANDS, name)) {
    await INTERNAL_COMMANDS[name]?.(args);
    return undefined;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command && args.some(isHelp)) {
    process.stdout.write(helpOf(name, command));
    return 0;
  }
  if (command) return command.run(args);
  if (name === '--version') return runCommand(['version', ...args]);
  if (isHelp(name) || name === 'help') {
    const [commandName = ''] = args;
    const about = Object.hasOwn(COMMANDS, commandName) ? COMMANDS[commandName] : undefined;
    process.stdout.write(about ? helpOf(commandName, about) : help());
    return 0;
  }
  process.stderr.write(`Unknown command '${name}'.\n${help()}`);
  return 2;
}

/** Whether a command's output is a log: that of the server, and of its media process. */
export const isLogged = (name = 'serve'): boolean => name === 'serve' || name === MEDIA;

const isHelp = (argument: string) => argument === '--help' || argument === '-h';

function helpOf(name: string, { usage, help }: Command): string {
  return `Usage: ${`${PROGRAM} ${name} ${usage}`.trimEnd()}\n\n${help}\n`;
}

function help(): string {
  const names = Object.entries(COMMANDS).map(([name, { usage }]) => `${name} ${usage}`.trimEnd());
  const width = Math.max(...names.map((one) => one.length)) + 2;
  const lines = Object.values(COMMANDS).map(
    ({ summary }, index) => `  ${(names[index] ?? '').padEnd(width)}${summary}`,
  );
  return `Usage: ${PROGRAM} [command]

${lines.join('\n')}

Run a command with --help for details; --version is the same as version. Settings are environment variables; see /docs/settings of a running server.
`;
}

/** The exit code that a shell reports for a program that SIGPIPE has ended: 128 + 13. */
const BROKEN_PIPE_EXIT_CODE = 141;

/**
 * Calls `gone` when the reader of our output has ended, as `head` does, instead of printing a stack
 * trace.
 */
function handleBrokenPipe(onBrokenPipe: () => void): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error) => {
      if (!isSystemError(error, 'EPIPE')) throw error;
      onBrokenPipe();
    });
  }
}
