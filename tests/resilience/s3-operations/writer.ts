import { PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { bytesOf, type Known, KnownKey, nextContent } from './known-objects.ts';

/** How many objects a writer changes with one request, or one after the other. */
export const KEYS = 3;

/** Sends one operation again and again, each time the whole of it, and knows what it must have left. */
export type Writer = {
  keys: KnownKey[];
  /** What is known of the objects beside their contents. */
  more?: Known[];
  /** Throws LostAnswerError where the server ends meanwhile. */
  write(): Promise<void>;
  /** Throws where something that was acknowledged is not there any more. Completes what was begun. */
  check(): Promise<void>;
};

export type Options = {
  /** Returns the client of the server that runs now. */
  client: () => S3Client;
  bucket: string;
  /** The beginning of the keys of the writer, which are nobody else's. */
  prefix: string;
  /** Sends a form of a browser with a signed policy. Throws what it is refused with. */
  sendForm: (key: string, file: Buffer) => Promise<void>;
};

/** Returns the first keys of a writer. */
export const keysOf = ({ client, bucket, prefix }: Options, count: number): KnownKey[] =>
  Array.from({ length: count }, (_, n) => new KnownKey(client, bucket, `${prefix}/${n}`));

/** Returns the check of a writer that leaves nothing but what is at its keys. */
export const check = (keys: Known[]) => async (): Promise<void> => {
  for (const key of keys) await key.check();
};

/** Puts an object with a content that it never had. */
export function put({ client, bucket }: Options, key: KnownKey): Promise<void> {
  const content = nextContent();
  const input = { Bucket: bucket, Key: key.key, Body: bytesOf(content) };
  return key.change(content, () => client().send(new PutObjectCommand(input)));
}
