import { notFound } from '../../../errors.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/port.ts';
import type { Keys } from '../../../platform/secrets/secrets.ts';
import { SigningKeys } from '../auth/signing-key.ts';
import { findS3Key } from '../keys/find-key.ts';
import { diagnose, type RequestFinding } from './diagnose.ts';
import { parsePastedRequest } from './parse-request.ts';

type Deps = {
  database: Pick<Database, 'db'>;
  keys: Keys;
  clock: Clock;
  /** Where the S3 API is; null where it is off. */
  config: { url: string; domain: string | null } | null;
};

/** Says what is wrong with requests that S3 clients were refused. */
export class S3Diagnosis {
  private readonly signingKeys = new SigningKeys();

  constructor(private readonly deps: Deps) {}

  /**
   * Checks a request that somebody has pasted. Throws invalid for a text that is none, and not-found where the S3 API is
   * off.
   * @param userId whose keys it may be signed by; null for the operator, who has the secrets of all
   */
  async run(userId: string | null, text: string): Promise<RequestFinding[]> {
    const { config, clock } = this.deps;
    if (!config) throw notFound('S3 API');
    const findKey = async (accessKeyId: string) => {
      const key = await findS3Key(this.deps, accessKeyId);
      return userId === null || key?.principal.userId === userId ? key : undefined;
    };
    const { signingKeys } = this;
    return diagnose({ findKey, signingKeys, config }, parsePastedRequest(text), clock());
  }
}
