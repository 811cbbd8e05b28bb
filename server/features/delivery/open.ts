import { SECOND } from '../../contract/limits.ts';
import { MASTER_PLAYLIST, PARTIAL_PLAYLIST } from '../../contract/media.ts';
import { AppError, notFound, unavailable } from '../../errors.ts';
import { type DeliveredFile, isProcessed } from '../files/service.ts';
import { deliveredBytes } from '../media/service.ts';
import { DeliverableCache } from './caches/deliverable-cache.ts';
import type { Rows } from './caches/file-and-bucket-cache.ts';
import type { ObjectCache } from './caches/object-cache.ts';
import { TokenizedPlaylistCache } from './caches/tokenized-playlist-cache.ts';
import { isText, type Subject } from './headers.ts';
import type { Resolved } from './resolve.ts';
import { ImageKeyCache, type ImageRequest } from './transforms/image-key-cache.ts';
import { ParsedQueryCache } from './transforms/parsed-query-cache.ts';
import { type PreviewSize, previewQuery } from './transforms/previews.ts';
import { imageOf, isImageOf, keyOf, resolveTransform } from './transforms/resolve-transform.ts';
import type { ImageObject, TransformService } from './transforms/service.ts';
import type { CachedObject, Deliverable } from './variants.ts';
import { whenReady } from './when-ready.ts';

/** The parts of a Request that opening reads. */
export type Client = { headers: Headers; signal: AbortSignal };

type Requested = Rows & Pick<Resolved, 'isByPath' | 'sitePart'>;

/** A longer Accept header is cut, as it could fill the memory. */
const MAX_ACCEPT_LENGTH = 400;

/** Opens the objects of requests that are resolved and authorized. */
export class Opener {
  private readonly playlists = new TokenizedPlaylistCache();
  private readonly queries = new ParsedQueryCache();
  private readonly imageKeys = new ImageKeyCache();
  private readonly deliverables: DeliverableCache;

  constructor(
    private readonly deps: {
      objects: ObjectCache;
      transforms: TransformService;
      cdnVariesAccept: boolean;
      s3PublicRedirect: boolean;
    },
  ) {
    this.deliverables = new DeliverableCache(deps);
  }

  /**
   * Opens what is requested, at once where it is cached. Throws not-found, transforms-off, and the errors of
   * transforms.
   * @param token the one that the file needs; null for a public file
   */
  open(
    { file, bucket, target, isByPath, sitePart }: Resolved,
    token: string | null,
    { headers, signal }: Client,
  ): Deliverable | Promise<Deliverable> {
    const { name, parameters: query, isDownload } = target;
    const use = isDownload ? 'download' : 'inline';
    const hasQuery = query !== '' && isImageOf(file, name);
    const params = hasQuery ? this.queries.parse(query) : null;
    const requested = { file, bucket, isByPath, sitePart };
    if (!params) return this.openObject(requested, name, use, token);
    if (bucket.transforms === 'off') throw transformsOff();
    const accept = headers.get('accept')?.slice(0, MAX_ACCEPT_LENGTH) ?? null;
    const request = { fileId: file.id, name, query, params, accept };
    return this.openImage(requested, request, use, signal);
  }

  /** Opens a preview of a file; null where the file has none yet or it can't be generated now. */
  async openPreview(
    rows: Rows,
    size: PreviewSize,
    signal: AbortSignal,
  ): Promise<Deliverable | null> {
    const { file } = rows;
    const name = imageOf(file);
    if (name === null || file.status !== 'success') return null;
    const query = previewQuery(size, name);
    const params = this.queries.parse(query);
    if (!params) throw new Error('a preview has no parameters');
    const request = { fileId: file.id, name, query, params, accept: null };
    try {
      const requested = { ...rows, isByPath: false, sitePart: null };
      return await this.openImage(requested, request, 'preview', signal);
    } catch (error) {
      if (error instanceof AppError) return null;
      throw error;
    }
  }

  private openObject(
    { file, bucket, isByPath, sitePart }: Requested,
    name: string,
    use: Subject['use'],
    token: string | null,
  ): Deliverable | Promise<Deliverable> {
    if (file.prefix === null) throw notFound('File');
    const isPartial = file.status === 'processing' && name === MASTER_PLAYLIST;
    const key = file.prefix + (isPartial ? PARTIAL_PLAYLIST : name);
    const rows = { file, bucket, isByPath, sitePart };
    const subject = { ...rows, name, entry: file.entry, use, isByAccept: false };
    const toDeliverable = (object: CachedObject) => this.deliverables.get(object, subject);
    const expected = { isTextual: isText(subject), bytes: storedBytes(file, name) };
    return whenReady(this.deps.objects.open(key, expected), (original) => {
      if (!original) throw notFound('File');
      // A private playlist contains the token, so it is rendered for each token.
      return token !== null && isText(subject)
        ? whenReady(this.playlists.open({ key, original, token }), toDeliverable)
        : toDeliverable(original);
    });
  }

  /** Opens an image of a file in another size or format. */
  private openImage(
    requested: Requested,
    request: ImageRequest,
    use: Subject['use'],
    signal: AbortSignal,
  ): Deliverable | Promise<Deliverable> {
    const { file } = requested;
    const isByAccept = request.params.format === 'auto';
    const toDeliverable = (object: CachedObject, { key, name }: { key: string; name: string }) => {
      const isUpload = key === `${file.prefix}${file.entry}`;
      const rows = { ...requested, file: isUpload ? file : asGenerated(file) };
      // A transformed image is downloaded with the upload's name, and a poster with the name of its video.
      const entry = file.file_type === 'video' ? file.entry : name;
      return this.deliverables.get(object, { ...rows, name, entry, use, isByAccept });
    };
    const known = this.imageKeys.get(request);
    const object = known && this.deps.objects.get(known.key);
    if (object) return toDeliverable(object, known);
    return this.findImage(file, request, signal).then((image) => {
      this.imageKeys.set(request, image);
      return toDeliverable(image.object, image);
    });
  }

  private async findImage(
    file: Rows['file'],
    { name, params, accept }: ImageRequest,
    signal: AbortSignal,
  ): Promise<ImageObject> {
    const { prefix } = file;
    if (prefix === null) throw notFound('File');
    if (file.status !== 'success') throw unavailable('The file is being processed.', 5 * SECOND);
    const published = { ...file, prefix };
    const transform = resolveTransform(published, name, accept, params);
    if (transform) {
      const job = { file: published, name, transform, key: keyOf(transform) };
      return this.deps.transforms.find(job, signal);
    }
    const key = prefix + name;
    const object = await this.deps.objects.open(key, { bytes: storedBytes(file, name) });
    if (!object) throw notFound('File');
    return { key, name, object };
  }
}

/** Returns how many bytes an object of a file was stored with; null where that is not known. */
function storedBytes(file: DeliveredFile, name: string): number | null {
  if (name !== file.entry) return null;
  return isProcessed(file) ? deliveredBytes(file) : file.size;
}

/**
 * Returns a file as what was generated from it is: an image of ours, of which neither the content type nor the coding is
 * that of the upload.
 */
function asGenerated(file: Rows['file']): Rows['file'] {
  if (isProcessed(file)) return file;
  const row = generatedRows.get(file) ?? { ...file, file_type: 'image', headers: null };
  generatedRows.set(file, row);
  return row;
}
/** The caches of headers compare rows by identity. */
const generatedRows = new WeakMap<Rows['file'], Rows['file']>();

const transformsOff = () =>
  new AppError(403, 'transforms-off', 'Image transforms are turned off for this bucket.');
