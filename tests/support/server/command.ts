import { programCommand } from './program.ts';

/**
 * Runs a command to its end, with nothing of our environment but PATH.
 * @param program what starts the program, unless it is the one under test
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
