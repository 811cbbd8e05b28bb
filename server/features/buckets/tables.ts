import type { Region } from '../../contract/regions.ts';
import type { TransformPolicy } from '../../contract/transforms.ts';
import type { BucketStatus } from '../../contract/wire.ts';

export type BucketRow = {
  id: string;
  user_id: string;
  name: string;
  /** The name folded for searching. */
  name_key: string;
  region: Region | null;
  webhook: string;
  /** Null until the first one is needed. */
  webhook_secret_sealed: string | null;
  /** When the endpoint said that it is gone; null while the webhook is in use. */
  webhook_disabled_at: number | null;
  /** Never 'banned': a ban stands beside it, so that lifting it brings this back. */
  status: BucketStatus;
  /** Since when its account has been below zero; null while it is not suspended for that. */
  suspended_at: number | null;
  banned_at: number | null;
  api_key_sealed: string;
  api_key_mac: string;
  /** Counts rolls of the key; tokens carry it, so a roll kills them. */
  key_version: number;
  total_uploads: number;
  usage: number;
  /** Whether its images can be asked for in other sizes and formats. */
  transforms: TransformPolicy;
  created_at: number;
};

/** The tables of buckets, by their names. */
export type BucketTables = {
  buckets: BucketRow;
};
