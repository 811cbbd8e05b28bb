import { readFile } from 'node:fs/promises';
import { openLiveDatabase } from '../../adapters/operator.ts';
import type { readConfig } from '../../config/config.ts';
import { OperatorError } from '../../config/operator-error.ts';
import { S3Diagnosis } from '../../features/s3/service.ts';
import { deriveKeys } from '../../platform/secrets/secrets.ts';
import { configuredSecret } from '../admin/configured-secret.ts';
import { type Finding, fine, problem, reasonOf } from './finding.ts';

const ADVICE = 'See "If a request is refused" in docs/guide/s3-clients.md.';

/**
 * Checks a request that an S3 client was refused, by the keys of all accounts.
 * @param path the file that has it; '-' for the standard input
 * @throws OperatorError where it can't be read, or is no request
 */
export async function* checkS3Request(
  config: ReturnType<typeof readConfig>,
  path: string,
): AsyncGenerator<Finding> {
  const text = await (path === '-' ? Bun.stdin.text() : readFile(path, 'utf8')).catch((error) => {
    throw new OperatorError(`Can't read ${path}: ${reasonOf(error)}`);
  });
  const secret = await configuredSecret(config);
  if (secret === null) throw new OperatorError('There is no secret yet. Start the server once.');
  const database = await openLiveDatabase(config);
  try {
    const deps = { database, keys: deriveKeys(secret), clock: Date.now, config: config.s3 };
    const findings = await new S3Diagnosis(deps).run(null, text).catch((error) => {
      throw new OperatorError(reasonOf(error));
    });
    for (const { ok, text: found } of findings) {
      yield ok ? fine('request', found) : problem('request', found, ADVICE);
    }
  } finally {
    await database.close();
  }
}
