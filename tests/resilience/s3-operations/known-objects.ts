import { GetObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { KIB, MIB } from '../../../server/contract/limits.ts';

/** Of an object, and of one that is uploaded in parts, of which all but the last have at least 5 MiB. */
const BYTES = 100 * KIB;
export const PART_BYTES: number = 5 * MIB;
const IN_PARTS = 'parts';

/** Names a content: of an object that is uploaded in parts, or at once. */
export const nameContent = (number: number, isInParts = false): string =>
  `${isInParts ? IN_PARTS : 'whole'}-${number}`;

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

/** Returns the content of an object; null where there is none. Throws where the object is not a whole content. */
export async function read(client: S3Client, Bucket: string, Key: string): Promise<string | null> {
  const get = client.send(new GetObjectCommand({ Bucket, Key }));
  const object = await answered(get).catch((error) => {
    if ((error as Error).name !== 'NoSuchKey') throw error;
    return null;
  });
  if (!object) return null;
  const bytes = Buffer.from((await answered(object.Body?.transformToByteArray() as never)) ?? []);
  const content = bytes.toString('latin1', 0, bytes.indexOf(';'));
  if (!bytes.equals(bytesOf(content))) throw new Error(`${Key} has a part of ${content} only.`);
  return content;
}

/** The key of an object that one writer changes, and what may be there: null stands for nothing. */
export class KnownKey {
  private possible: (string | null)[] = [null];

  constructor(
    private readonly client: () => S3Client,
    private readonly bucket: string,
    readonly key: string,
  ) {}

  /** Sends an operation that leaves `content` at the key. */
  async change(content: string | null, send: () => Promise<unknown>): Promise<void> {
    this.possible.push(content);
    await answered(send());
    this.possible = [content];
  }

  /** Reads the object while others change it. Throws where it has bytes that nobody sent as a whole. */
  async look(): Promise<void> {
    await read(this.client(), this.bucket, this.key);
  }

  /** Throws where there is something else than what the operations have left, of which one may have got no answer. */
  async check(): Promise<string | null> {
    const content = await read(this.client(), this.bucket, this.key);
    if (!this.possible.includes(content))
      throw new Error(`${this.key} has ${content} instead of ${this.possible.join(' or ')}.`);
    this.possible = [content];
    return content;
  }
}
