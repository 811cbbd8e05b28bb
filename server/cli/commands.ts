import { BROKEN_PIPE_EXIT_CODE, handleBrokenPipe } from './broken-pipe.ts';

type Command = {
  /** Words after the name, for the help. */
  usage: string;
  /** One line, for the list of all. */
  summary: string;
  /** What it does, changes and answers, for `--help` after its name. */
  help: string;
  /** Changes nothing, so it ends when nobody reads on; what changes something is done to its end. */
  onlyLooks?: true;
  /** Answers the exit code; undefined for what goes on after it has returned. */
  run(args: string[]): Promise<number | undefined>;
};

/** The argument by which the program starts itself as its media process. */
const MEDIA = 'media-process';

const PROGRAM = Bun.isStandaloneExecutable ? 'wharf' : 'bun server/main.ts';
/** What starts this program again: the binary is its own interpreter. */
const SELF = Bun.isStandaloneExecutable ? [process.execPath] : [process.execPath, Bun.main];

/** Each command loads what it is made of, and nothing of the others. */
const COMMANDS: Record<string, Command> = {
  serve: {
    usage: '[--role all|web|media]',
    summary: 'serve until SIGTERM or Ctrl+C; also what happens without a command',
    help: `Brings the database up to date and serves at HOST and PORT. At SIGTERM or Ctrl+C it ends what it
is answering first; what was being encoded is taken up at the next start, or by another process.

  --role all     do everything (the default)
  --role web     answer requests; leave encoding to others
  --role media   encode; answer only /health and /metrics at HOST and PORT

Any number of web and media processes may work on one PostgreSQL (DATABASE_URL).`,
    async run(args) {
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
    summary: 'copy database, files and secret into a folder, also beside a running server',
    help: `Copies the database as it is at one moment, then every object that it names; the server removes none
meanwhile. A later run into the same folder copies only what is new, and drops what is gone. Each copy is
read back and its SHA-256 kept. DIR also gets the secret: keep it as private as the server. Mails that
wait in the outbox are not in it.

  --verify   read what earlier runs copied as well, and replace what is damaged

Exit 0 when all is there; 1 when it failed, or when the server itself lacks something, which is listed.
With DATABASE_URL, or files in S3, it says what to use instead.`,
    run: async (args) => (await import('./backup/backup-command.ts')).runBackup(args),
  },
  restore: {
    usage: 'DIR',
    summary: 'put a backup into an empty DATA_DIR',
    help: `Copies all that 'backup' has put into DIR, and compares each object with its SHA-256; then looks whether
rows and objects agree. DATA_DIR must be empty, and no server may be running on it.

Exit 0 when all of it is there and sound; 1 when not: what is damaged is listed, all else is restored.`,
    run: async (args) => (await import('./backup/restore-command.ts')).runRestore(args),
  },
  'migrate-database': {
    usage: '',
    summary: 'copy all rows from SQLite in DATA_DIR to PostgreSQL at DATABASE_URL',
    help: `Makes the tables in the empty database at DATABASE_URL and copies every row, in one transaction; then
compares count and checksum of each table, and prints them. The server must not run meanwhile. Files
stay where they are. APP_SECRET must be what DATA_DIR/secret holds.

Exit 0 when all rows are there; 1 when not: then PostgreSQL is as empty as before.`,
    run: async (args) => (await import('./migrate-database/command.ts')).runTransfer(args),
  },
  admin: {
    usage: 'credit|ban|unban|reset-password ADDRESS',
    summary: 'credit or ban an account, or give it a new password',
    help: `  credit ADDRESS USD
                   adds USD to the balance of the account with this address, or takes them where they are
                   negative: an entry of its ledger, as everything is
  ban, unban       ends all sessions and stops keys, tokens and delivery of the account, and gives them
                   back; a running server hears of it within five seconds
  reset-password   makes a new password, prints it once, and ends all sessions of the account
    --stdin        takes the password from standard input instead

Each act is in the audit log. A server may be running meanwhile. Exit 0 when it is done; 1 when not, and then nothing has changed.`,
    run: async (args) => (await import('./admin/admin-command.ts')).runAdmin(args),
  },
  doctor: {
    usage: '[--json]',
    summary: 'look what is wrong with the set-up, and say what to change',
    help: `Looks at disk, ffmpeg, storage, database and mail server; then asks the running server through its public
address, as a browser would: whether that leads here, whether large uploads, parts of files and
WebSockets pass whatever stands before it, and whether the clocks agree.

  --json   a JSON object a line

Exit 0 when all is well, 1 when there is a problem.`,
    onlyLooks: true,
    run: async (args) => (await import('./doctor/command.ts')).runDoctor(args),
  },
  fsck: {
    usage: '[--json]',
    summary: 'compare rows and objects, changing nothing',
    help: `Prints a line for each object that no row knows, row that points at nothing, total that is wrong,
removal that is overdue and temporary file of a dead process. A server may be running meanwhile.

  --json   a JSON object a line

Exit 0 when there is none, 1 when there is, 2 when it could not look.`,
    onlyLooks: true,
    run: async (args) => (await import('./fsck/command.ts')).runFsck(args),
  },
  version: {
    usage: '[--json]',
    summary: 'say which version this is',
    help: `Prints the name and the version of the program.

  --json   a JSON object that also tells the commit it was built from and its date, the versions of Bun,
           sharp, libvips and the ffmpeg that it finds (null for what is not known), and by the settings
           whether rows are in sqlite or postgres, and files on disk or in s3

Opens neither database nor storage, and answers with wrong settings too.`,
    onlyLooks: true,
    run: async (args) => (await import('./version.ts')).runVersion(args),
  },
};

/** Runs what the command line asks for. Answers the exit code; undefined for what goes on. */
export async function runCommand([name = 'serve', ...args]: string[]): Promise<number | undefined> {
  handleBrokenPipe(() => {
    if (Object.hasOwn(COMMANDS, name) && COMMANDS[name]?.onlyLooks)
      process.exit(BROKEN_PIPE_EXIT_CODE);
  });
  if (name === MEDIA) {
    const { runMediaProcess } = await import('../runtime/media-process.ts');
    await runMediaProcess();
    return undefined;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command && args.some(isHelp)) {
    process.stdout.write(helpOf(name, command));
    return 0;
  }
  if (command) return command.run(args);
  if (isHelp(name) || name === 'help') {
    const [asked = ''] = args;
    const about = Object.hasOwn(COMMANDS, asked) ? COMMANDS[asked] : undefined;
    process.stdout.write(about ? helpOf(asked, about) : help());
    return 0;
  }
  process.stderr.write(`There is no command ${name}.\n${help()}`);
  return 2;
}

const isHelp = (word: string) => word === '--help' || word === '-h';

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

'--help' after a command tells more of it. Settings come from the environment; see README.md.
`;
}
