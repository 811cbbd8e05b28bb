import { parseArgs } from 'node:util';
import { openForReading, openLiveDatabase } from '../../adapters/operator.ts';
import { readConfig } from '../../config/config.ts';
import { messageOf } from '../../config/operator-error.ts';
import { audit } from './audit.ts';
import { removeOrphans } from './remove-orphans.ts';

/** The exit code where it could not be determined whether there are findings. */
const EXIT_FAILED = 2;

const OPTIONS = {
  json: { type: 'boolean', default: false },
  'remove-orphans': { type: 'boolean', default: false },
} as const;

/**
 * Prints a line for each finding to standard output, and the sum to standard error. Returns the
 * exit code: 0 without findings, 1 with findings, 2 where the audit itself failed.
 */
export async function runFsck(args: string[]): Promise<number> {
  try {
    const { values } = parseArgs({ args, options: OPTIONS });
    const config = readConfig();
    const sources = await openForReading(config);
    const target = values['remove-orphans'] ? await openLiveDatabase(config) : null;
    const orphans = target ? removeOrphans(sources, target, Date.now) : undefined;
    let findings = 0;
    try {
      for await (const finding of audit(sources, Date.now, orphans)) {
        findings += 1;
        const { kind, subject, text } = finding;
        const line = values.json
          ? JSON.stringify(finding)
          : `${kind.padEnd(10)}${subject}: ${text}`;
        process.stdout.write(`${line}\n`);
      }
    } finally {
      await sources.database.close();
      await target?.close();
    }
    const sum = findings === 1 ? '1 finding' : `${findings} findings`;
    process.stderr.write(findings === 0 ? 'No problems found.\n' : `${sum}.\n`);
    return findings === 0 ? 0 : 1;
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n`);
    return EXIT_FAILED;
  }
}
