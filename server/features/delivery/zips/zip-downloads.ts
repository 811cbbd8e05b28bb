import { SECOND } from '../../../contract/limits.ts';
import { tapStream } from '../../../contract/streams.ts';
import { notFound, tooMany } from '../../../errors.ts';
import type { Clock } from '../../../platform/clock.ts';
import { KeyedSemaphore } from '../../../platform/keyed-semaphore.ts';
import type { ObjectStore } from '../../../platform/storage/port.ts';
import { can } from '../../access/can.ts';
import { NOBODY, type Principal } from '../../access/principal.ts';
import type { Bucket, Buckets } from '../../buckets/service.ts';
import type { Files, ZipContents } from '../../files/service.ts';
import type { Tokens } from '../../tokens/service.ts';
import { toDeliveryError } from '../authorize.ts';
import type { CountSentBytes } from '../byte-counter.ts';

/** The sum of a file's bytes is computed here, which takes a tenth of a core at 100 MB/s. */
const MAX_RUNNING_PER_ACCOUNT = 3;
const RETRY_AFTER_MS = 30 * SECOND;

const tooManyDownloads = () =>
  tooMany(
    `${MAX_RUNNING_PER_ACCOUNT} ZIPs of this account are being downloaded. Wait until one ends.`,
    RETRY_AFTER_MS,
  );

type Deps = {
  buckets: Pick<Buckets, 'byId'>;
  files: { zips: Pick<Files['zips'], 'contents'> };
  tokens: Pick<Tokens, 'verify'>;
  objects: Pick<ObjectStore, 'open' | 'list'>;
  clock: Clock;
  /** Returns the callback that counts the bytes of a file. */
  counterOf: (bucketId: string, fileId: string) => CountSentBytes;
};

type Link = { bucketId: string; zipId: string; token: string | undefined };

/** Opens the ZIPs of links, as delivery opens files. */
export class ZipDownloads {
  private readonly running = new KeyedSemaphore(MAX_RUNNING_PER_ACCOUNT, tooManyDownloads);

  constructor(private readonly deps: Deps) {}

  /**
   * Checks that a link may be opened now. Returns its bucket, and the function that checks it again. Throws not-found,
   * payment-required, bandwidth-limit, unauthorized, bad-token.
   */
  async authorize({ bucketId, zipId, token }: Link): Promise<{
    bucket: Bucket;
    recheck: () => Promise<void>;
  }> {
    const principal = await this.principalOf(token);
    const check = async (): Promise<Bucket> => {
      const { buckets, clock } = this.deps;
      const now = clock();
      const bucket = await buckets.byId(bucketId);
      if (!bucket) throw notFound('File');
      // It is to its link what a private file is to its token.
      const file = { id: zipId, path: '', access: 'private', expires_at: null } as const;
      const refusal = can(principal, 'open-file', { file, bucket, now });
      if (refusal) throw toDeliveryError(refusal, (bucket.delivery_stopped_until ?? now) - now);
      return bucket;
    };
    return { bucket: await check(), recheck: async () => void (await check()) };
  }

  /** Returns what is in the ZIP of a link. Throws not-found, invalid. */
  contents({ bucketId, zipId }: Link): Promise<ZipContents> {
    return this.deps.files.zips.contents(bucketId, zipId);
  }

  /**
   * Returns the bytes of a ZIP, which are counted as those of its files when they are handed on. Whether it may go on
   * is checked before each file. The stream must be read to its end or cancelled. Throws too-many.
   */
  async open(
    bucket: Bucket,
    { entries }: ZipContents,
    recheck: () => Promise<void>,
  ): Promise<ReadableStream<Uint8Array>> {
    const { objects, counterOf } = this.deps;
    // client-zip computes a table in a loop when it is loaded. In the start's chunk, the loop made JavaScriptCore compile
    // all of that chunk to machine code, which took 7 MiB and 20 ms of each start.
    const { archiveOf } = await import('./archive.ts');
    const end = this.running.acquire(bucket.user_id);
    let countSent: CountSentBytes = () => {};
    const archive = archiveOf({
      objects,
      entries,
      begin: async (fileId) => {
        await recheck();
        countSent = counterOf(bucket.id, fileId);
      },
    });
    return tapStream(archive, { onPiece: (bytes) => countSent(bytes.byteLength), onEnd: end });
  }

  private async principalOf(token: string | undefined): Promise<Principal> {
    if (!token) return NOBODY;
    const claims = await this.deps.tokens.verify(token, 'zip');
    return claims ? { kind: 'read-token', claims } : { kind: 'invalid-token' };
  }
}
