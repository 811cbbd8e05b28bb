import { createHmac, timingSafeEqual } from 'node:crypto';

/** HMAC-SHA-256 of the parts, each length-prefixed so that no two lists of parts meet. Base64url. */
export function mac(key: Uint8Array, ...parts: string[]): string {
  const hmac = createHmac('sha256', key);
  for (const part of parts) hmac.update(`${Buffer.byteLength(part)}:${part}`);
  return hmac.digest('base64url');
}

/** Compares two MACs in constant time. */
export function sameMac(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}
