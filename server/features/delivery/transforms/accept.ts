import type { DerivedFormat } from '../../../contract/transforms.ts';
import type { Deliverable } from '../variants.ts';

const MODERN = { 'image/avif': 'avif', 'image/webp': 'webp' } as const;

/**
 * The best format that a client names in its Accept (RFC 9110, 12.5.1), null for neither. Wildcards
 * promise nothing: every client sends them. An animation stays one in WebP, so that goes first
 * then.
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
 * The headers of an answer that depends on Accept. A shared cache that does not keep such answers
 * apart would send an AVIF to a client that cannot show it, so only the client may keep it unless
 * somebody has said that the one in front can.
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

/** Answers with those headers, prepared once for as long as the object is remembered. */
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
