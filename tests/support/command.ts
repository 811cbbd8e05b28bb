import { programCommand } from './program.ts';

/** Runs a command of the program under test to its end, with nothing of our environment but PATH. */
export async function runCommand(
  args: string[],
  env: Record<string, string>,
  input = '',
): Promise<{ status: number; stdout: string; stderr: string }> {
  const child = Bun.spawn([...programCommand, ...args], {
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
