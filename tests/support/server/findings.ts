import { openForReading } from '../../../server/adapters/operator.ts';
import { audit } from '../../../server/cli/fsck/audit.ts';
import type { Finding } from '../../../server/cli/fsck/finding.ts';
import type { Config } from '../../../server/config/config.ts';

/** Returns the findings of the audit of a server, such as rows without objects, without a process of its own. */
export async function findingsOf(config: Config): Promise<Finding[]> {
  const sources = await openForReading(config);
  try {
    return await Array.fromAsync(audit(sources, Date.now));
  } finally {
    await sources.database.close();
  }
}
