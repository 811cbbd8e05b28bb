import type { Finding } from '../../../server/cli/fsck/finding.ts';
import { runCommand } from './command.ts';
import { engineSettings } from './test-engine.ts';

/** Runs the audit command on a data folder, beside the server that works on it. */
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
