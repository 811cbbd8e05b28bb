import type { FileStatus } from './events.ts';
import type { Region } from './regions.ts';
import type { TransformPolicy } from './transforms.ts';

/** What the API answers, as both sides see it. Dates are ISO 8601 UTC, sizes bytes. */

/** One page of a list; `nextId` is the cursor of the next one, null at the end. */
export type Page<Row> = { data: Row[]; nextId: string | null };

/** Kept in local storage under `auth`, with `access` for `token` and `isAuth` beside it. */
export type SessionWire = {
  token: string;
  userId: string;
  /** Seconds since the epoch. */
  exp: number;
  email: string;
};

export type BucketStatus = 'running' | 'suspended' | 'banned' | 'deleting';

export type BucketWire = {
  id: string;
  name: string;
  webhook: string;
  /** When its endpoint answered that it is gone for good; null while it is in use. */
  webhook_disabled_at: string | null;
  /** Null means the server's default. */
  region: Region | null;
  status: BucketStatus;
  total_uploads: number;
  usage: number;
  /** Bytes sent this month, in UTC. */
  bandwidth: number;
  /** Whether its images can be asked for in other sizes and formats. */
  transforms: TransformPolicy;
  date: string;
};

/** One bucket opened by its owner's session: the only place that shows the key. */
export type BucketDetailWire = BucketWire & { api_key: string };

export type WebhookType = 'file.success' | 'file.error' | 'file.deleted' | 'webhook.test';
export type DeliveryState = 'waiting' | 'delivered' | 'failed';

/** What became of one event on its way to the webhook. */
export type DeliveryWire = {
  /** The `webhook-id`. */
  id: string;
  type: WebhookType;
  state: DeliveryState;
  attempts: number;
  /** Of the last answer; null where none came, and then `answer` says why. */
  status: number | null;
  /** The beginning of the last answer. */
  answer: string | null;
  date: string;
  /** Of the next attempt, or of the one that is under way; null when there will be none. */
  next: string | null;
};

export type Access = 'public' | 'private';
export type FileType = 'image' | 'video';

export type FileWire = {
  id: string;
  name: string;
  size: number;
  file_type: FileType;
  access: Access;
  status: FileStatus;
  /** Per cent done while processing. */
  progress: number;
  date: string;
  /** Null until there is something to open. */
  url: string | null;
  width: number | null;
  height: number | null;
  /** Milliseconds; null for images. */
  duration: number | null;
  playable: boolean;
  /** Base64, for a picture that stands in while the real one loads. */
  thumbhash: string | null;
  /** URLs of a video's poster and of the WebVTT file of its timeline previews. */
  poster: string | null;
  previews: string | null;
  /** A page with the player of a video, for a frame; null until there is something to play. */
  embed: string | null;
  /** WebP was asked for, but the original is smaller and is what is delivered. */
  kept_original: boolean;
  /** Of what was uploaded, in hex; null until it has been read. */
  sha256: string | null;
  /** Why processing failed, for a person; null otherwise. */
  error: string | null;
};

export type FilePageWire = Page<FileWire> & {
  /** A read token of the bucket, for one hour. */
  jwt: string;
};

/** One thing that is stored of a file: a size of a video with all its segments, a poster, … */
export type RenditionWire = {
  name: string;
  width: number | null;
  height: number | null;
  bytes: number;
  /** Null where it is kept and never delivered. */
  url: string | null;
};

export type FileDetailWire = FileWire & {
  /** Null until it is published, and of files that were before this was noted. */
  renditions: RenditionWire[] | null;
  /** How often processing was begun; null once the job is forgotten. */
  attempts: number | null;
  /** Bytes sent of it this month, in UTC, and in all. */
  bandwidth: { month: number; total: number };
  /** A read token of this file, for one hour. */
  jwt: string;
};

/** Who looks at a page. `credit` is the balance in USD, null where it can't be had. */
export type Viewer = { userId: string; email: string; isAdmin: boolean; credit: number | null };

export type PaymentStatus = 'pending' | 'paid' | 'failed' | 'expired' | 'refunded';
/**
 * Why a payment was not credited: the provider refused to begin it, less arrived than was asked for,
 * something else arrived than was asked for, or the account was gone.
 */
export type PaymentNote = 'refused' | 'short' | 'mismatch' | 'account-gone';

export type PaymentWire = {
  id: string;
  status: PaymentStatus;
  method: 'card' | 'crypto';
  /** USD: asked for, added to the balance, and taken back of that. */
  amount: number;
  credited: number;
  refunded: number;
  note: PaymentNote | null;
  date: string;
};
