import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  ListPartsCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { answered, bytesOf, KnownKey, nameContent, PART_BYTES } from './known-objects.ts';

/** How many objects a writer deletes with one request. */
const KEYS = 3;

/** Sends one operation again and again, each time the whole of it, and knows what it must have left. */
export type Writer = {
  keys: KnownKey[];
  /** Throws LostAnswerError where the server ends meanwhile. */
  write(): Promise<void>;
  /** Throws where something that was acknowledged is not there any more. Completes what was begun. */
  check(): Promise<void>;
};
type Options = {
  /** Returns the client of the server that runs now. */
  client: () => S3Client;
  bucket: string;
  /** The beginning of the keys of the writer, which are nobody else's. */
  prefix: string;
};
type Part = { PartNumber: number; ETag: string | undefined };

let contents = 0;
function nextContent(isInParts = false): string {
  contents += 1;
  return nameContent(contents, isInParts);
}

const keysOf = ({ client, bucket, prefix }: Options, count: number) =>
  Array.from({ length: count }, (_, n) => new KnownKey(client, bucket, `${prefix}/${n}`));

const check = (keys: KnownKey[]) => async () => {
  for (const key of keys) await key.check();
};

function put({ client, bucket }: Options, key: KnownKey): Promise<void> {
  const content = nextContent();
  const input = { Bucket: bucket, Key: key.key, Body: bytesOf(content) };
  return key.change(content, () => client().send(new PutObjectCommand(input)));
}

function puts(options: Options): Writer {
  const keys = keysOf(options, KEYS);
  return {
    keys,
    async write() {
      for (const key of keys) await put(options, key);
    },
    check: check(keys),
  };
}

function copies(options: Options): Writer {
  const { client, bucket } = options;
  const [source, target] = keysOf(options, 2) as [KnownKey, KnownKey];
  return {
    keys: [source, target],
    async write() {
      await put(options, source);
      const content = await source.check();
      const input = { Bucket: bucket, Key: target.key, CopySource: `${bucket}/${source.key}` };
      await target.change(content, () => client().send(new CopyObjectCommand(input)));
    },
    check: check([source, target]),
  };
}

function deletes(options: Options): Writer {
  const { client, bucket } = options;
  const keys = keysOf(options, 1);
  return {
    keys,
    async write() {
      for (const key of keys) {
        await put(options, key);
        const input = { Bucket: bucket, Key: key.key };
        await key.change(null, () => client().send(new DeleteObjectCommand(input)));
      }
    },
    check: check(keys),
  };
}

function bulkDeletes(options: Options): Writer {
  const { client, bucket } = options;
  const keys = keysOf(options, KEYS);
  return {
    keys,
    async write() {
      for (const key of keys) await put(options, key);
      const Delete = { Objects: keys.map(({ key }) => ({ Key: key })) };
      const sent = client().send(new DeleteObjectsCommand({ Bucket: bucket, Delete }));
      await Promise.all(
        keys.map((key) =>
          key.change(null, async () => {
            const { Errors = [] } = await sent;
            if (Errors.length > 0) throw new Error(JSON.stringify(Errors));
          }),
        ),
      );
    },
    check: check(keys),
  };
}

/** Parts that are sent one after the other to an upload that goes on after a kill. */
function parts(options: Options): Writer {
  const { client, bucket } = options;
  const [key] = keysOf(options, 1) as [KnownKey];
  const about = { Bucket: bucket, Key: key.key };
  let upload: { UploadId: string; acknowledged: Part[] } | null = null;
  const content = nextContent();
  return {
    keys: [key],
    async write() {
      if (!upload) {
        const created = await answered(client().send(new CreateMultipartUploadCommand(about)));
        upload = { UploadId: created.UploadId ?? '', acknowledged: [] };
      }
      const { UploadId, acknowledged } = upload;
      const PartNumber = acknowledged.length + 1;
      const input = { ...about, UploadId, PartNumber, Body: bytesOf(content) };
      const { ETag } = await answered(client().send(new UploadPartCommand(input)));
      acknowledged.push({ PartNumber, ETag });
    },
    async check() {
      const { UploadId, acknowledged } = upload ?? { UploadId: '', acknowledged: [] };
      if (acknowledged.length === 0) return;
      const { Parts = [] } = await client().send(new ListPartsCommand({ ...about, UploadId }));
      const etags = new Map(Parts.map(({ PartNumber, ETag }) => [PartNumber, ETag]));
      for (const { PartNumber, ETag } of acknowledged)
        if (etags.get(PartNumber) !== ETag) throw new Error(`Part ${PartNumber} is lost.`);
      const MultipartUpload = { Parts: acknowledged.slice(-1) };
      const command = new CompleteMultipartUploadCommand({ ...about, UploadId, MultipartUpload });
      await key.change(content, () => client().send(command));
      await key.check();
      upload = null;
    },
  };
}

/** Completions, each of which is repeated until it is answered. */
function completions(options: Options): Writer {
  const { client, bucket } = options;
  const [key] = keysOf(options, 1) as [KnownKey];
  const about = { Bucket: bucket, Key: key.key };
  let begun: { content: string; command: CompleteMultipartUploadCommand } | null = null;
  const complete = async () => {
    const { content, command } = begun ?? {};
    if (!content || !command) return;
    await key.change(content, () => client().send(command));
    begun = null;
  };
  return {
    keys: [key],
    async write() {
      await complete();
      const content = nextContent(true);
      const created = await answered(client().send(new CreateMultipartUploadCommand(about)));
      const upload = { ...about, UploadId: created.UploadId };
      const bytes = bytesOf(content);
      const Parts: Part[] = [];
      for (const Body of [bytes.subarray(0, PART_BYTES), bytes.subarray(PART_BYTES)]) {
        const PartNumber = Parts.length + 1;
        const sending = client().send(new UploadPartCommand({ ...upload, PartNumber, Body }));
        Parts.push({ PartNumber, ETag: (await answered(sending)).ETag });
      }
      const command = new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } });
      begun = { content, command };
      await complete();
    },
    async check() {
      await key.check();
      await complete();
      await key.check();
    },
  };
}

/** The operations that change something, by their names in S3. */
export const OPERATIONS: [string, (options: Options) => Writer][] = [
  ['PutObject', puts],
  ['CopyObject', copies],
  ['DeleteObject', deletes],
  ['DeleteObjects', bulkDeletes],
  ['UploadPart', parts],
  ['CompleteMultipartUpload', completions],
];
