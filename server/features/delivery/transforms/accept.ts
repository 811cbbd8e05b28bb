import type { DerivedFormat } from '../../../contract/transforms.ts';

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
