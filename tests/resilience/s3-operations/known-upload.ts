import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListPartsCommand,
  type S3Client,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { answered, bytesOf, type KnownKey } from './known-objects.ts';
import type { Options } from './writer.ts';

type About = { Bucket: string; Key: string; UploadId: string };
/** Sends a part with a content, and returns its ETag. */
type Send = (
  client: S3Client,
  about: About & { PartNumber: number },
  content: string,
) => Promise<string | undefined>;

export const sendPart: Send = async (client, about, content) =>
  (await client.send(new UploadPartCommand({ ...about, Body: bytesOf(content) }))).ETag;

/** Returns the function that copies a part from an object, which has the content of the part. */
export const copyPart =
  (bucket: string, source: string): Send =>
  async (client, about) => {
    const input = { ...about, CopySource: `${bucket}/${source}` };
    return (await client.send(new UploadPartCopyCommand(input))).CopyPartResult?.ETag;
  };

/** An upload in parts, and the parts that were acknowledged. */
export class KnownUpload {
  private readonly parts: { PartNumber: number; ETag: string | undefined; content: string }[] = [];

  private constructor(
    private readonly client: () => S3Client,
    private readonly key: KnownKey,
    readonly about: About,
  ) {}

  static async begin({ client, bucket }: Options, key: KnownKey): Promise<KnownUpload> {
    const about = { Bucket: bucket, Key: key.key };
    const created = await answered(client().send(new CreateMultipartUploadCommand(about)));
    return new KnownUpload(client, key, { ...about, UploadId: created.UploadId ?? '' });
  }

  async add(content: string, send: Send): Promise<void> {
    const PartNumber = this.parts.length + 1;
    const ETag = await answered(send(this.client(), { ...this.about, PartNumber }, content));
    this.parts.push({ PartNumber, ETag, content });
  }

  /** Completes it with its last part, which may be a small one. Throws where a part that was acknowledged is lost. */
  async complete(): Promise<void> {
    const last = this.parts.at(-1);
    if (!last) return;
    const { Parts = [] } = await this.client().send(new ListPartsCommand(this.about));
    const etags = new Map(Parts.map(({ PartNumber, ETag }) => [PartNumber, ETag]));
    for (const { PartNumber, ETag } of this.parts)
      if (etags.get(PartNumber) !== ETag) throw new Error(`Part ${PartNumber} is lost.`);
    const { PartNumber, ETag } = last;
    const MultipartUpload = { Parts: [{ PartNumber, ETag }] };
    const command = new CompleteMultipartUploadCommand({ ...this.about, MultipartUpload });
    await this.key.change(last.content, () => this.client().send(command));
    await this.key.check();
  }
}
