import type { KeyScope } from '../../../contract/wire.ts';

export type ApiKeyRow = {
  /** The id of the bucket for its primary key. */
  id: string;
  bucket_id: string;
  name: string;
  scope: KeyScope;
  /** By what the key is found: its MAC for a primary key, else its SHA-256. */
  key_hash: string;
  /** The sealed key, which its owner may view, for a primary key; null for any other. */
  key_sealed: string | null;
  expires_at: number | null;
  last_used_at: number | null;
  created_at: number;
};
