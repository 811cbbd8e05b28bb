import { randomBytes } from 'node:crypto';
import type { Keys } from '../../../platform/secrets/keys.ts';
import { mac } from '../../../platform/secrets/mac.ts';
import { seal, unseal } from '../../../platform/secrets/seal.ts';

const KEY = /^whf_[A-Za-z0-9_-]{43}$/;

/** A key is 256 random bits; the prefix lets people and secret scanners recognise it. */
export const newApiKey = (): string => `whf_${randomBytes(32).toString('base64url')}`;

export const looksLikeApiKey = (text: string): boolean => KEY.test(text);

/** What the row keeps: the key sealed for its owner to see, and a MAC to find it by. */
export function keyColumns(keys: Keys, bucketId: string, apiKey: string) {
  return {
    api_key_sealed: seal(keys('api-key-seal'), apiKey, bucketId),
    api_key_mac: mac(keys('api-key-lookup'), apiKey),
  };
}

export const apiKeyMac = (keys: Keys, apiKey: string) => mac(keys('api-key-lookup'), apiKey);

export const openApiKey = (keys: Keys, row: { id: string; api_key_sealed: string }) =>
  unseal(keys('api-key-seal'), row.api_key_sealed, row.id);
