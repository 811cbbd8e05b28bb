import type { Region } from '../../contract/regions.ts';
import type { TransformPolicy } from '../../contract/transforms.ts';
import type {
  Access,
  BucketStatus,
  DeliveryState,
  FileStatus,
  FileType,
  WebhookType,
} from '../../contract/wire.ts';
import type { AdminTables } from './tables-admin.ts';
import type { BillingTables } from './tables-billing.ts';
import type { UploadTables } from './tables-uploads.ts';
import type { UsageTables } from './tables-usage.ts';

/** Times are epoch milliseconds, sizes bytes, truth 0 or 1: every number is a BIGINT. */
type SqlBoolean = 0 | 1;

export type UserRow = {
  id: string;
  /** As typed. */
  email: string;
  /** Folded, for comparing. */
  email_key: string;
  password_hash: string;
  /** An account that is banned, or being deleted, can do nothing meanwhile. */
  status: 'active' | 'banned' | 'deleting';
  created_at: number;
};

export type SessionRow = {
  id: string;
  user_id: string;
  created_at: number;
  expires_at: number;
  revoked_at: number | null;
  /** Browser and system, for people. */
  device: string;
  /** Of the client that began it. */
  address: string;
  last_seen_at: number;
  /** When it was begun by a recovery: for a while the password can be changed without a code. */
  recovered_at: number | null;
};

export type ChallengePurpose =
  | 'signup'
  | 'login'
  | 'recovery'
  | 'change-email'
  | 'change-password'
  | 'delete-account'
  | 'delete-bucket';

export type ChallengeRow = {
  id: string;
  purpose: ChallengePurpose;
  email: string;
  email_key: string;
  /** MAC of the random cookie of the browser that opened it. */
  browser: string;
  /** Empty where no code may open anything, such as a signup with an address that is taken. */
  code_mac: string;
  code_expires_at: number;
  tries: number;
  /** Of a pending signup. */
  password_hash: string | null;
  /** Who asked, where somebody was logged in. */
  user_id: string | null;
  /** The mail job that carries its newest code. */
  mail_id: string | null;
  created_at: number;
  expires_at: number;
  closed_at: number | null;
};

/** A browser in which its user has been logged in: strangers' wrong tries do not count against it. */
export type KnownBrowserRow = { user_id: string; browser: string; seen_at: number };

/** A change of address that the owner of the old one may still undo. */
export type EmailChangeRow = {
  id: string;
  user_id: string;
  old_email: string;
  old_key: string;
  undo_mac: string;
  created_at: number;
  expires_at: number;
  closed_at: number | null;
};

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

export type FileRow = {
  id: string;
  bucket_id: string;
  name: string;
  size: number;
  file_type: FileType;
  access: Access;
  status: FileStatus;
  /** Why processing failed, for a person. */
  error: string | null;
  /** Where the published objects are; null until there are any. Ends in '/'. */
  prefix: string | null;
  /** Where the uploaded bytes are; null once they are gone. Ends in '/'. */
  source_prefix: string | null;
  /** The object below `prefix` that a viewer opens first. */
  entry: string | null;
  width: number | null;
  height: number | null;
  duration: number | null;
  playable: SqlBoolean;
  /** Base64, for the picture that stands in while the real one loads. */
  thumb_hash: string | null;
  /** Names below `prefix` of a video's poster and of the WebVTT file of its previews. */
  poster: string | null;
  previews: string | null;
  /** WebP was asked for, but the original is smaller and is what is delivered. */
  kept_original: SqlBoolean;
  /** JSON of what is stored, by rendition; null until it is published, and of older files. */
  renditions: string | null;
  /** Of what was uploaded, in hex; null until it has been read. */
  sha256: string | null;
  /** All that is stored for this file: original, renditions, derivatives. */
  stored_bytes: number;
  created_at: number;
};

/** An image in another size or format; gone with its file. */
export type DerivativeRow = {
  id: string;
  file_id: string;
  /** The parameters in their one form. */
  transform: string;
  /** Below the file's own; holds this one object. Ends in '/'. */
  prefix: string;
  name: string;
  bytes: number;
  /** Late by a minute at most. */
  used_at: number;
};

/** Objects that a sweep removes once `not_before` has passed, unless the row is gone by then. */
export type PendingDeleteRow = {
  /** Ends in '/'. */
  prefix: string;
  /** Below zero where a sweep has begun: minus the time at which it did. */
  not_before: number;
};

/** Nothing is removed from the objects before `until`; see deletion-pause-store.ts. */
export type DeletionPauseRow = { owner: string; until: number };

export type JobState = 'queued' | 'running' | 'done' | 'failed' | 'cancelled';

export type JobRow = {
  id: string;
  kind: string;
  /** What it is about: a file id, a bucket id. */
  subject: string;
  /** For whom it is done; jobs of many owners take turns. */
  owner: string | null;
  /** The lowest is next. */
  turn: number;
  payload: string;
  state: JobState;
  attempts: number;
  run_at: number;
  lease_token: string | null;
  lease_until: number | null;
  /** Per cent. */
  progress: number;
  error: string | null;
  created_at: number;
  finished_at: number | null;
};

export type WebhookDeliveryRow = {
  /** Also the `webhook-id`, the same at every attempt. */
  id: string;
  bucket_id: string;
  type: WebhookType;
  body: string;
  target_sealed: string;
  state: DeliveryState;
  /** Failures in a row so far: the place in the schedule. A replay starts at 0. */
  step: number;
  attempts: number;
  /** When to try next; while it is being tried, when to hold whoever does for dead. */
  due_at: number;
  /** Of the attempt under way. */
  claim: string | null;
  /** What came back last; the status is null where nothing did, and the text says why. */
  answer_status: number | null;
  answer_text: string | null;
  attempted_at: number | null;
  created_at: number;
  finished_at: number | null;
};

export type Tables = BillingTables &
  AdminTables &
  UploadTables &
  UsageTables & {
    users: UserRow;
    sessions: SessionRow;
    challenges: ChallengeRow;
    known_browsers: KnownBrowserRow;
    email_changes: EmailChangeRow;
    buckets: BucketRow;
    files: FileRow;
    derivatives: DerivativeRow;
    pending_deletes: PendingDeleteRow;
    deletion_pauses: DeletionPauseRow;
    jobs: JobRow;
    webhook_deliveries: WebhookDeliveryRow;
  };
