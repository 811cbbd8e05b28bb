import type { DerivedFormat } from '../../../contract/transforms.ts';
import type { Deliverable } from '../variants.ts';

const MODERN = { 'image/avif': 'avif', 'image/webp': 'webp' } as const;

/**
 * Returns the best format that a client's Accept header names (RFC 9110, 12.5.1); null for neither.
 * Wildcards do not count, because every client sends them. An animation prefers WebP, which keeps
 * it.
 */
export function acceptedFormat(accept: string | null, isAnimated: boolean): DerivedFormat | null {
  if (!accept) return null;
  const named = new Set<string>();
  for (const part of accept.toLowerCase().split(',')) {
    const [type = '', ...parameters] = part.split(';').map((one) => one.trim());
    if (!parameters.some((one) => /^q=0(\.0*)?$/.test(one))) named.add(type);
  }
  const order = isAnimated ? (['image/webp'] as const) : (['image/avif', 'image/webp'] as const);
  const best = order.find((type) => named.has(type));
  return best ? MODERN[best] : null;
}

/**
 * Returns the headers of a response that depends on Accept. A shared cache that ignores Vary would
 * send an AVIF to a client that cannot show it, so only the client may cache the response, unless
 * the operator has configured that the CDN supports Vary.
 */
function varyHeaders(source: Headers, cdnVariesAccept: boolean): Headers {
  const headers = new Headers(source);
  headers.append('vary', 'Accept');
  if (!cdnVariesAccept) {
    const cache = headers.get('cache-control') ?? '';
    headers.set('cache-control', cache.replace(/\bpublic\b/, 'private'));
  }
  return headers;
}

/**
 * Creates a function that adds those headers to an object, once for as long as the object is
 * cached.
 */
export function createVaryRegistry(cdnVariesAccept: boolean) {
  const variedByDeliverable = new WeakMap<Deliverable, Deliverable>();
  return (deliverable: Deliverable): Deliverable => {
    const prepared = variedByDeliverable.get(deliverable);
    if (prepared) return prepared;
    const { uncompressed } = deliverable;
    const headers = varyHeaders(uncompressed.headers, cdnVariesAccept);
    const varied = { uncompressed: { ...uncompressed, headers }, packed: null };
    variedByDeliverable.set(deliverable, varied);
    return varied;
  };
}
