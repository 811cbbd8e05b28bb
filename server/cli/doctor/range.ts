import { SECOND } from '../../contract/limits.ts';
import type { Database } from '../../platform/db/port.ts';
import { type Finding, fine, problem, reasonOf } from './finding.ts';
import { newestPublicImage } from './store.ts';

const NAME = 'ranges';

/** Whether a part of a delivered file can be asked for: players seek by it. */
export async function checkRange({ db }: Database, cdnUrl: string): Promise<Finding> {
  const file = await newestPublicImage(db);
  if (!file) return fine(NAME, 'skipped: there is no public image yet');
  const url = `${cdnUrl}/${file.bucket_id}/${file.id}/${encodeURIComponent(file.entry ?? '')}`;
  const change =
    'Point CDN_URL at this server and pass the Range header through; no cache or proxy may answer a range request with the whole file.';
  try {
    const answer = await fetch(url, {
      headers: { range: 'bytes=1-3' },
      signal: AbortSignal.timeout(10 * SECOND),
    });
    const { length } = new Uint8Array(await answer.arrayBuffer());
    if (answer.status === 206 && length === 3)
      return fine(NAME, `${cdnUrl} answers range requests`);
    return problem(
      NAME,
      `a request for 3 bytes to ${cdnUrl} is answered with ${answer.status} and ${length}`,
      change,
    );
  } catch (error) {
    return problem(NAME, `${cdnUrl} does not answer: ${reasonOf(error)}`, change);
  }
}
