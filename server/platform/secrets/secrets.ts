import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

/** Each use of the secret has its own key, so that a value made for one use is invalid for all others. */
export type KeyUse =
  | 'session-token'
  | 'bucket-token'
  | 'one-time-code'
  | 'api-key-lookup'
  | 'api-key-seal'
  | 's3-key-seal'
  | 's3-import-seal'
  | 'mail-seal'
  | 'webhook-secret-seal'
  | 'webhook-target-seal'
  | 'browser'
  | 'limits'
  | 'credited-address'
  | 'undo-email-change';

type Key = Uint8Array<ArrayBuffer>;
/** The keys of a use: the current one, and during a rotation the previous one. */
export type KeyRing = readonly [Key, ...Key[]];

export type Keys = {
  /** Returns the key of a use. */
  (use: KeyUse): Key;
  all(use: KeyUse): KeyRing;
};

/** Stands between the current secret and the previous one. A secret in use may have several lines. */
const PREVIOUS = '\nprevious ';

/** Returns the text of a current secret and, during a rotation, a previous one. */
export const formatSecrets = (current: string, previous: string | null): string =>
  previous === null ? current : current + PREVIOUS + previous;

/** Returns the secrets of a text by `formatSecrets`, the current one first. */
export const parseSecrets = (text: string) =>
  text.split(PREVIOUS) as [current: string, ...previous: string[]];

/**
 * Derives 256-bit keys from a secret (HKDF-SHA-256, RFC 5869), each of them once.
 * @param secrets as text by `formatSecrets`
 */
export function deriveKeys(secrets: string): Keys {
  const [first, ...others] = parseSecrets(secrets);
  const current = deriveOwnKeys(first);
  const previous = others.map(deriveOwnKeys);
  const all = (use: KeyUse): KeyRing => [current(use), ...previous.map((keys) => keys(use))];
  return Object.assign((use: KeyUse) => current(use), { all });
}

function deriveOwnKeys(appSecret: string): (use: KeyUse) => Key {
  const keys = new Map<KeyUse, Key>();
  return (use) => {
    const cached = keys.get(use);
    if (cached) return cached;
    const key = new Uint8Array(hkdfSync('sha256', appSecret, 'wharf', use, 32));
    keys.set(use, key);
    return key;
  };
}

/**
 * Returns the HMAC-SHA-256 of the parts as Base64url. Each part is prefixed by its length, so that
 * different lists of parts never have the same MAC.
 */
export function mac(key: Uint8Array, ...parts: string[]): string {
  const hmac = createHmac('sha256', key);
  for (const part of parts) hmac.update(`${Buffer.byteLength(part)}:${part}`);
  return hmac.digest('base64url');
}

/** Returns the MAC of the parts by each key. */
export const macs = (
  [current, ...previous]: KeyRing,
  ...parts: string[]
): [current: string, ...previous: string[]] => [
  mac(current, ...parts),
  ...previous.map((key) => mac(key, ...parts)),
];

/** Compares two MACs in constant time. */
export function sameMac(a: string, b: string): boolean {
  const bytesA = Buffer.from(a);
  const right = Buffer.from(b);
  return bytesA.length === right.length && timingSafeEqual(bytesA, right);
}

/** Encrypts a text for a column (AES-256-GCM with a random 96-bit nonce). `context` binds it to its row. */
export function seal(key: Uint8Array, text: string, context: string): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  cipher.setAAD(Buffer.from(context));
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url');
}

/**
 * Decrypts what `seal` returned for one of the keys and the same context. Throws when no key or the
 * context fits, or a bit has changed.
 */
export function unseal([key, next, ...others]: KeyRing, sealed: string, context: string): string {
  if (!next) return unsealBy(key, sealed, context);
  try {
    return unsealBy(key, sealed, context);
  } catch {
    return unseal([next, ...others], sealed, context);
  }
}

function unsealBy(key: Uint8Array, sealed: string, context: string): string {
  const bytes = Buffer.from(sealed, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), {
    authTagLength: 16,
  });
  decipher.setAAD(Buffer.from(context));
  decipher.setAuthTag(bytes.subarray(12, 28));
  return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
}
