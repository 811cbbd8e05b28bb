type Command = {
  /** Words after the name, for the help. */
  usage: string;
  summary: string;
  /** Answers the exit code; undefined for what goes on after it has returned. */
  run(args: string[]): Promise<number | undefined>;
};

/** The argument by which the program starts itself as its media process. */
const MEDIA = 'media-process';

/** Each command loads what it is made of, and nothing of the others. */
const COMMANDS: Record<string, Command> = {
  serve: {
    usage: '',
    summary: 'serve until SIGTERM or Ctrl+C; also what happens without a command',
    async run() {
      const [{ loadConfig }, { serve }] = await Promise.all([
        import('./config.ts'),
        import('./serve.ts'),
      ]);
      await serve(loadConfig(), [process.execPath, Bun.main, MEDIA]);
      return undefined;
    },
  },
  fsck: {
    usage: '[--json]',
    summary:
      'compare rows and objects, changing nothing, also beside a running server: exit 0 when clean, 1 when not, 2 when it failed',
    run: async (args) => (await import('./fsck/command.ts')).runFsck(args),
  },
};

/** Runs what the command line asks for. Answers the exit code; undefined for what goes on. */
export async function runCommand([name = 'serve', ...args]: string[]): Promise<number | undefined> {
  if (name === MEDIA) {
    const { runMediaProcess } = await import('./media-process.ts');
    await runMediaProcess();
    return undefined;
  }
  const isHelp = ['help', '--help', '-h'].some((word) => word === name || args[0] === word);
  if (isHelp) {
    process.stdout.write(help());
    return 0;
  }
  const command = COMMANDS[name];
  if (command) return command.run(args);
  process.stderr.write(`There is no command ${name}.\n${help()}`);
  return 2;
}

function help(): string {
  const lines = Object.entries(COMMANDS).map(
    ([name, { usage, summary }]) => `  ${`${name} ${usage}`.padEnd(16)}${summary}`,
  );
  return `Usage: bun server/main.ts [command]\n\n${lines.join('\n')}\n\nSettings come from the environment; see README.md.\n`;
}
