import { runTool } from '../sandbox/process.ts';

/** This parent starts a tool that sleeps, prints its process id and waits to be killed. */
await runTool({
  command: ['sh', '-c', 'echo $$; exec sleep 60'],
  cwd: '/',
  timeoutMs: 60_000,
  signal: new AbortController().signal,
  limits: { cpuSeconds: 5, memoryBytes: 2 ** 30, fileBytes: 2 ** 20 },
  onStdoutLine: (line) => process.stdout.write(line),
});
