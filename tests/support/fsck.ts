import { join } from 'node:path';
import type { Finding } from '../../server/fsck/finding.ts';
import { engineSettings } from './test-engine.ts';

const MAIN = join(import.meta.dir, '../../server/main.ts');

/** Runs the audit command on a data folder, beside the server that works on it. */
export async function fsck(
  dataDir: string,
  args: string[] = ['--json'],
  env: Record<string, string> = {},
): Promise<{ status: number; findings: Finding[]; stdout: string; stderr: string }> {
  const settings = await engineSettings(dataDir);
  const child = Bun.spawn([process.execPath, MAIN, 'fsck', ...args], {
    env: { PATH: process.env.PATH ?? '', DATA_DIR: dataDir, ...settings, ...env },
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [stdout, stderr, status] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  const lines = args.includes('--json') ? stdout.split('\n').filter(Boolean) : [];
  return { status, findings: lines.map((line) => JSON.parse(line)), stdout, stderr };
}
