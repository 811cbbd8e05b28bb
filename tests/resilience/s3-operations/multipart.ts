import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { answered, bytesOf, type KnownKey, nextContent, PART_BYTES } from './known-objects.ts';
import { copyPart, KnownUpload, sendPart } from './known-upload.ts';
import { keysOf, type Options, put, type Writer } from './writer.ts';

/** Parts that are sent one after the other to an upload that goes on after a kill. */
export function parts(options: Options): Writer {
  const [key] = keysOf(options, 1) as [KnownKey];
  let upload: KnownUpload | null = null;
  return {
    keys: [key],
    async write() {
      upload ??= await KnownUpload.begin(options, key);
      await upload.add(nextContent(), sendPart);
    },
    async check() {
      await upload?.complete();
      upload = null;
    },
  };
}

/** Parts that are copied from an object, which has another content for each of them. */
export function partCopies(options: Options): Writer {
  const [source, target] = keysOf(options, 2) as [KnownKey, KnownKey];
  let upload: KnownUpload | null = null;
  return {
    keys: [source, target],
    async write() {
      upload ??= await KnownUpload.begin(options, target);
      await put(options, source);
      await upload.add((await source.check()) ?? '', copyPart(options.bucket, source.key));
    },
    async check() {
      await source.check();
      await upload?.complete();
      upload = null;
    },
  };
}

/** Uploads that are aborted: whichever is still there afterwards has all of its parts. */
export function aborts(options: Options): Writer {
  const { client, bucket } = options;
  const [key] = keysOf(options, 1) as [KnownKey];
  let upload: KnownUpload | null = null;
  let isAborted = false;
  let gone: string[] = [];
  return {
    keys: [key],
    async write() {
      isAborted = false;
      upload = await KnownUpload.begin(options, key);
      await upload.add(nextContent(), sendPart);
      await upload.add(nextContent(), sendPart);
      isAborted = true;
      await answered(client().send(new AbortMultipartUploadCommand(upload.about)));
      gone.push(upload.about.UploadId);
      upload = null;
    },
    async check() {
      const input = { Bucket: bucket, Prefix: key.key };
      const { Uploads = [] } = await client().send(new ListMultipartUploadsCommand(input));
      const listed = Uploads.map(({ UploadId }) => UploadId);
      if (gone.some((id) => listed.includes(id))) throw new Error('An aborted upload is back.');
      const isThere = listed.includes(upload?.about.UploadId);
      if (upload && !isThere && !isAborted) throw new Error('An upload is lost.');
      if (isThere) await upload?.complete();
      await key.check();
      upload = null;
      gone = [];
    },
  };
}

/** Completions, each of which is repeated until it is answered. */
export function completions(options: Options): Writer {
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
      const send = async (PartNumber: number, Body: Uint8Array) => {
        const sending = client().send(new UploadPartCommand({ ...upload, PartNumber, Body }));
        return { PartNumber, ETag: (await answered(sending)).ETag };
      };
      const ends = [bytes.subarray(0, PART_BYTES), bytes.subarray(PART_BYTES)];
      const Parts = await Promise.all(ends.map((Body, n) => send(n + 1, Body)));
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
