import { hkdfSync } from 'node:crypto';

/** Each use of the secret has a key of its own, so that none stands in for another. */
export type KeyUse =
  | 'session-token'
  | 'bucket-token'
  | 'one-time-code'
  | 'api-key-lookup'
  | 'api-key-seal'
  | 'mail-seal'
  | 'webhook-secret-seal'
  | 'webhook-target-seal'
  | 'browser'
  | 'limits'
  | 'undo-email-change';

export type Keys = (use: KeyUse) => Uint8Array<ArrayBuffer>;

/** Derives 256-bit keys from the secret (HKDF-SHA-256, RFC 5869), once per use. */
export function deriveKeys(appSecret: string): Keys {
  const made = new Map<KeyUse, Uint8Array<ArrayBuffer>>();
  return (use) => {
    const known = made.get(use);
    if (known) return known;
    const key = new Uint8Array(hkdfSync('sha256', appSecret, 'wharf', use, 32));
    made.set(use, key);
    return key;
  };
}
