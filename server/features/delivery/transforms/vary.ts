import type { Deliverable } from '../variants.ts';

/**
 * The headers of an answer that depends on Accept. A shared cache that does not keep such answers
 * apart would send an AVIF to a client that cannot show it, so only the client may keep it unless
 * somebody has said that the one in front can.
 */
export function varyHeaders(whole: Headers, cdnVariesAccept: boolean): Headers {
  const headers = new Headers(whole);
  headers.append('vary', 'Accept');
  if (!cdnVariesAccept) {
    const cache = headers.get('cache-control') ?? '';
    headers.set('cache-control', cache.replace(/\bpublic\b/, 'private'));
  }
  return headers;
}

/** Answers with those headers, prepared once for as long as the object is remembered. */
export function createVaryRegistry(cdnVariesAccept: boolean) {
  const known = new WeakMap<Deliverable, Deliverable>();
  return (deliverable: Deliverable): Deliverable => {
    const prepared = known.get(deliverable);
    if (prepared) return prepared;
    const { plain } = deliverable;
    const headers = varyHeaders(plain.headers, cdnVariesAccept);
    const answer = { plain: { ...plain, headers }, packed: null };
    known.set(deliverable, answer);
    return answer;
  };
}
