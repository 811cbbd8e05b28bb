import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openLiveDatabase } from '../../adapters/operator.ts';
import { readConfig } from '../../config/config.ts';
import { OperatorError } from '../../config/operator-error.ts';
import type { Database } from '../../platform/db/port.ts';
import { countStale } from '../../platform/secrets/reseal.ts';
import { deriveKeys, formatSecrets, parseSecrets } from '../../platform/secrets/secrets.ts';
import { requireConfiguredSecret, writeSecret } from '../admin/configured-secret.ts';

type Rotation = {
  database: Database;
  dataDir: string;
  /** Whether the secret is in DATA_DIR, and not in the environment. */
  isInFile: boolean;
  current: string;
  previous: string | null;
};

/** Runs `rotate-secret`, which replaces the secret in two steps. Returns the exit code 0. */
export async function runRotateSecret(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: { finish: { type: 'boolean', default: false } } });
  const config = readConfig();
  const database = await openLiveDatabase(config);
  try {
    const [current, previous = null] = parseSecrets(
      await requireConfiguredSecret(database, config),
    );
    const isInFile = config.secret === null;
    const rotation = { database, dataDir: config.dataDir, isInFile, current, previous };
    const text = values.finish ? await finish(rotation) : await start(rotation);
    process.stdout.write(text);
    return 0;
  } finally {
    await database.close();
  }
}

async function start({ dataDir, isInFile, current, previous }: Rotation): Promise<string> {
  if (previous !== null) {
    throw new OperatorError(
      'A rotation is in progress. Run rotate-secret --finish to end it before you start another.',
    );
  }
  const next = randomBytes(32).toString('hex');
  if (!isInFile) {
    return `The secret is set by APP_SECRET. Set these for every process, then restart it:

APP_SECRET=${next}
APP_SECRET_PREVIOUS=the current value of APP_SECRET

With several processes, see the guide first. Then run rotate-secret --finish.\n`;
  }
  await writeSecret(dataDir, formatSecrets(next, current));
  return `A new secret is in ${join(dataDir, 'secret')}, beside the old one. Restart the server: it encrypts its data with the
new secret, and accepts what the old one made. Then run rotate-secret --finish to remove the old one.\n`;
}

async function finish(rotation: Rotation): Promise<string> {
  const { database, dataDir, isInFile, current, previous } = rotation;
  if (previous === null) throw new OperatorError('There is no previous secret to remove.');
  const keys = deriveKeys(formatSecrets(current, previous));
  const stale = await countStale({ database, keys });
  if (stale > 0) {
    throw new OperatorError(
      `${stale} values are still encrypted with the previous secret. Start the server with both secrets, wait until its job is done, and try again.`,
    );
  }
  if (!isInFile) {
    return 'Nothing is encrypted with the previous secret. Unset APP_SECRET_PREVIOUS and restart the server.\n';
  }
  await writeSecret(dataDir, current);
  return 'The previous secret is removed. Restart the server: what the previous secret signed stops working then.\n';
}
