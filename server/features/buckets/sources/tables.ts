import type { Access } from '../../../contract/wire.ts';

/** A bucket of another S3 server, from which a bucket fetches files that it does not have. */
export type BucketSourceRow = {
  /** Another one whenever the source is set. */
  id: string;
  bucket_id: string;
  endpoint: string;
  region: string;
  access_key_id: string;
  secret_sealed: string;
  source_bucket: string;
  /** The objects that are fetched: '' for all, or what their keys begin with, which ends in '/'. */
  prefix: string;
  /** Where they are here: '' or a path that ends in '/'. */
  folder: string;
  /** Who can open what was fetched. */
  access: Access;
  /** How many paths of the bucket have been excluded since the source was set for the first time. */
  excluded: number;
  /** How often what is excluded was cleared: exclusions of an earlier generation no longer count. */
  generation: number;
  /** Why files can't be fetched, as a sentence; null where the last one was. */
  error: string | null;
  created_at: number;
};

/** A path that is not fetched, because what was there was deleted or moved. */
export type SourceExclusionRow = { bucket_id: string; path: string; generation: number };
