import type { Finding } from '../../../server/cli/fsck/finding.ts';
import { programCommand } from './program.ts';
import { engineSettings } from './test-engine.ts';

/**
 * Runs a command with only PATH of our environment.
 * @param program the command that starts the program, by default the one under test
 */
export async function runCommand(
  args: string[],
  env: Record<string, string>,
  { input = '', program = programCommand }: { input?: string; program?: string[] } = {},
): Promise<{ status: number; stdout: string; stderr: string }> {
  const child = Bun.spawn([...program, ...args], {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdin: new Blob([input]),
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [stdout, stderr, status] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { status, stdout, stderr };
}

/** Runs the audit command on a data folder, whose server may be running. */
export async function fsck(
  dataDir: string,
  args: string[] = ['--json'],
  env: Record<string, string> = {},
): Promise<{ status: number; findings: Finding[]; stdout: string; stderr: string }> {
  const settings = { DATA_DIR: dataDir, ...(await engineSettings(dataDir)), ...env };
  const { status, stdout, stderr } = await runCommand(['fsck', ...args], settings);
  const lines = args.includes('--json') ? stdout.split('\n').filter(Boolean) : [];
  return { status, findings: lines.map((line) => JSON.parse(line)), stdout, stderr };
}
