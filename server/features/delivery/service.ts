import { EARLY_PLAYLIST, MASTER_PLAYLIST } from '../../contract/media.ts';
import { AppError, notFound, paymentRequired, unauthorized } from '../../errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/port.ts';
import type { Events } from '../../platform/events/port.ts';
import type { ObjectStore } from '../../platform/storage/port.ts';
import { type Bucket, type Buckets, isCutOff } from '../buckets/service.ts';
import type { DeliveredFile, Files } from '../files/service.ts';
import type { Grant, Tokens } from '../tokens/service.ts';
import { createObjectCache } from './caches/object-cache.ts';
import { createRowCache, type Rows } from './caches/row-cache.ts';
import { createUrlCache } from './caches/url-cache.ts';
import type { DeliveryTarget } from './delivery-url.ts';
import { isText } from './headers/content-types.ts';
import { tokenizePlaylist } from './playlists/tokenized-playlist.ts';
import type { Deriver } from './transforms/generate.ts';
import { createDerivatives } from './transforms/service.ts';
import type { Deliverable } from './variants.ts';

export type Delivery = ReturnType<typeof createDelivery>;
/** Who asks: a Request is one. */
type Asker = { headers: Headers; signal: AbortSignal };
export type Delivered = { deliverable: Deliverable; cacheControl?: string | undefined };

export function createDelivery(services: {
  buckets: Buckets;
  files: Files;
  tokens: Tokens;
  objects: Pick<ObjectStore, 'open'>;
  events: Events;
  database: Database;
  clock: Clock;
  media: Deriver;
  derivativesMaxBytes: number;
  cdnVariesAccept: boolean;
  s3PublicRedirect: boolean;
  onError: (error: unknown) => void;
}) {
  const { buckets, files, tokens, clock } = services;
  const objects = createObjectCache(services.objects, {
    publicRedirect: services.s3PublicRedirect,
  });
  const derivatives = createDerivatives({ ...services, objects });
  const rows = createRowCache(services.events, {
    file: (id) => files.forDelivery(id),
    bucket: (id) => buckets.byId(id),
  });

  /** Throws not-found, payment-required, unauthorized, bad-token. */
  const admit = async (
    target: Pick<DeliveryTarget, 'bucketId' | 'fileId' | 'token'>,
  ): Promise<Rows> => {
    const found = await rows.find(target);
    if (!found || !isDelivered(found.bucket)) throw notFound('File');
    const { file, bucket } = found;
    if (isCutOff(bucket, clock())) throw cutOff();
    if (file.access === 'private') await checkToken(target.token, bucket, file);
    return found;
  };

  const wishOf = ({ name, parameters }: DeliveryTarget, { headers }: Asker) => ({
    name,
    query: parameters,
    headers,
  });

  return {
    /** Rows, keys and policies as they are in this second, for what is made of them by URL. */
    lately: <Found extends object>() => createUrlCache<Found>(clock, rows.changes),

    /**
     * The file that a page may show, by the rules for its objects. Throws not-found, unauthorized,
     * bad-token.
     */
    admit: async (
      target: Pick<DeliveryTarget, 'bucketId' | 'fileId' | 'token'>,
    ): Promise<DeliveredFile> => (await admit(target)).file,

    /** Keeps images in other sizes and formats within their limits. */
    upkeep: derivatives.round,
    settle: derivatives.settle,

    /** How many images of a bucket there are in other sizes and formats, and their bytes. */
    madeIn: derivatives.madeIn,

    /** An object at hand, without waiting for anything; undefined makes `open` necessary. */
    atHand(target: DeliveryTarget, asker: Asker): Deliverable | undefined {
      const found = rows.get(target);
      if (!found || !isDelivered(found.bucket)) return undefined;
      const { file, bucket } = found;
      if (file.prefix === null || isCutOff(bucket, clock())) return undefined;
      if (file.access === 'private') {
        if (target.token === null || isText(target.name)) return undefined;
        if (!opens(tokens.grantAtHand(target.token, 'read', bucket), file)) return undefined;
      }
      if (target.parameters === '') return objects.getOf(file, target.name);
      if (bucket.transforms === 'off') return undefined;
      return derivatives.atHand(file, file.prefix, wishOf(target, asker));
    },

    /**
     * What is delivered under a name of a file. A private file needs a read token of its bucket.
     * Throws not-found, unauthorized, bad-token, and what is wrong with an image asked for in
     * another size or format.
     */
    async open(target: DeliveryTarget, asker: Asker): Promise<Delivered> {
      const { file, bucket } = await admit(target);
      const wish = wishOf(target, asker);
      const asked = derivatives.asked(file, wish);
      if (asked) {
        if (bucket.transforms === 'off') throw transformsOff();
        return { deliverable: await derivatives.open(file, wish, asked, asker.signal) };
      }
      const isEarly = file.status === 'processing';
      const isEarlyEntry = isEarly && target.name === MASTER_PLAYLIST;
      const name = isEarlyEntry ? EARLY_PLAYLIST : target.name;
      const subject = { file, name: target.name };
      const deliverable =
        file.prefix === null ? undefined : await objects.open(file.prefix + name, subject);
      if (!deliverable) throw notFound('File');
      if (file.access === 'private' && target.token !== null && isText(name)) {
        return { deliverable: await tokenizePlaylist(deliverable.plain, subject, target.token) };
      }
      // An attempt that fails takes what it published early back, and the next makes it anew.
      const isFinal = !isEarly || file.access === 'private';
      return { deliverable, cacheControl: isFinal ? undefined : 'no-cache' };
    },
  };

  async function checkToken(token: string | null, bucket: Bucket, file: DeliveredFile) {
    if (!token) throw unauthorized('This file is private: its URL needs a token.');
    if (!opens(await tokens.grant(token, 'read', bucket), file)) {
      throw new AppError(403, 'bad-token', 'The token does not open this file.');
    }
  }
}

const isDelivered = (bucket: Bucket) => bucket.status !== 'deleting' && bucket.status !== 'banned';

const cutOff = () =>
  paymentRequired(
    'This file is not available: the account that it belongs to has to be topped up.',
  );

const transformsOff = () =>
  new AppError(403, 'transforms-off', 'The images of this bucket come as they are only.');

const opens = (grant: Grant | null, file: DeliveredFile) =>
  grant !== null && (grant.fileId === null || grant.fileId === file.id);
