import { type Subject, subjectHeaders } from '../headers.ts';
import { canRedirect } from '../storage-redirect.ts';
import type { Bytes, CachedObject, Deliverable, Variant } from '../variants.ts';

/**
 * A cache of the headers of objects. Each object keeps those that it was last delivered with, which are made
 * again where the row of its file or of its bucket is another one. So no change is answered with old headers.
 */
export class DeliverableCache {
  private readonly last = new WeakMap<
    CachedObject,
    { subject: Subject; deliverable: Deliverable }
  >();

  constructor(private readonly options: { cdnVariesAccept: boolean; s3PublicRedirect: boolean }) {}

  /** Returns an object with the headers of its file. */
  get(object: CachedObject, subject: Subject): Deliverable {
    const last = this.last.get(object);
    if (last && isSame(last.subject, subject)) return last.deliverable;
    const deliverable = this.create(object, subject);
    this.last.set(object, { subject, deliverable });
    return deliverable;
  }

  private create({ uncompressed, packed, link }: CachedObject, subject: Subject): Deliverable {
    const { cdnVariesAccept, s3PublicRedirect } = this.options;
    const common = subjectHeaders(subject, cdnVariesAccept);
    if (packed) {
      const vary = { ...common, vary: 'Accept-Encoding' };
      return {
        uncompressed: toVariant(uncompressed, vary),
        packed: toVariant(packed, { ...vary, 'content-encoding': 'gzip' }),
      };
    }
    const isRedirected = s3PublicRedirect && canRedirect(subject, uncompressed.size);
    const variant = toVariant(uncompressed, common);
    return { uncompressed: isRedirected ? { ...variant, link } : variant, packed: null };
  }
}

/** Rows are compared by identity: a cache gives the same ones until they may have changed. */
const isSame = (one: Subject, other: Subject): boolean =>
  one.file === other.file &&
  one.bucket === other.bucket &&
  one.name === other.name &&
  one.use === other.use &&
  one.isByPath === other.isByPath &&
  one.sitePart === other.sitePart &&
  one.isByAccept === other.isByAccept;

function toVariant(bytes: Bytes, common: Record<string, string>): Variant {
  const { etag, modifiedAt } = bytes;
  const headers = new Headers({ ...common, etag });
  if (modifiedAt !== null) headers.set('last-modified', new Date(modifiedAt).toUTCString());
  return { ...bytes, headers };
}
