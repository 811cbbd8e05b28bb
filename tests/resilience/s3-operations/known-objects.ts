import { GetObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { KIB, MIB } from '../../../server/contract/limits.ts';

/** Of an object, and of one that is uploaded in parts, of which all but the last have at least 5 MiB. */
const BYTES = 100 * KIB;
export const PART_BYTES: number = 5 * MIB;
const IN_PARTS = 'parts';
/** What says that nothing is there, or not any more. */
const MISSING = ['NoSuchKey', 'NoSuchVersion', 'NotFound'];

let contents = 0;

/** Names a content that no object had before: of an object that is uploaded in parts, or at once. */
export function nextContent(isInParts = false): string {
  contents += 1;
  return `${isInParts ? IN_PARTS : 'whole'}-${contents}`;
}

/** Returns the bytes of a content, which are its name again and again. */
export const bytesOf = (content: string): Buffer =>
  Buffer.alloc(content.startsWith(IN_PARTS) ? PART_BYTES + BYTES : BYTES, `${content};`);

/** The answer to an operation was lost, so it was done or not. */
export class LostAnswerError extends Error {}

/** Sends an operation. Throws LostAnswerError where the server ended meanwhile, and what it was refused with. */
export async function answered<Answer>(sending: Promise<Answer>): Promise<Answer> {
  try {
    return await sending;
  } catch (error) {
    const status = (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;
    if (status === undefined || status === 503) throw new LostAnswerError();
    throw error;
  }
}

/** Sends an operation. Returns null where there is no such object, version or bucket. */
export async function foundBy<Answer>(sending: Promise<Answer>): Promise<Answer | null> {
  try {
    return await answered(sending);
  } catch (error) {
    if (MISSING.includes((error as Error).name)) return null;
    throw error;
  }
}

type About = { Bucket: string; Key: string; VersionId?: string };

/** Returns the content of an object; null where there is none. Throws where the object is not a whole content. */
export async function read(client: S3Client, about: About): Promise<string | null> {
  const object = await foundBy(client.send(new GetObjectCommand(about)));
  if (!object) return null;
  const bytes = Buffer.from((await answered(object.Body?.transformToByteArray() as never)) ?? []);
  const content = bytes.toString('latin1', 0, bytes.indexOf(';'));
  if (!bytes.equals(bytesOf(content)))
    throw new Error(`${about.Key} has a part of ${content} only.`);
  return content;
}

/** What one writer changes, and what may be there: null stands for nothing. */
export class Known {
  private possible: (string | null)[] = [null];

  constructor(
    readonly key: string,
    /** Throws where there is a part of something. */
    private readonly read: () => Promise<string | null>,
  ) {}

  /** Sends an operation that leaves `content` there. */
  async change(content: string | null, send: () => Promise<unknown>): Promise<void> {
    this.possible.push(content);
    await answered(send());
    this.possible = [content];
  }

  /** Reads what is there while others change it. Throws where it is a part of what somebody sent. */
  async look(): Promise<void> {
    await this.read();
  }

  /** Throws where there is something else than what the operations have left, of which one may have got no answer. */
  async check(): Promise<string | null> {
    const content = await this.read();
    if (!this.possible.includes(content))
      throw new Error(`${this.key} has ${content} instead of ${this.possible.join(' or ')}.`);
    this.possible = [content];
    return content;
  }
}

/** The key of an object that one writer changes. */
export class KnownKey extends Known {
  constructor(client: () => S3Client, Bucket: string, Key: string) {
    super(Key, () => read(client(), { Bucket, Key }));
  }
}
