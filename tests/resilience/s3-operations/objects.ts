import {
  CopyObjectCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  DeleteObjectTaggingCommand,
  GetObjectTaggingCommand,
  PutObjectCommand,
  PutObjectTaggingCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { bytesOf, foundBy, Known, type KnownKey, nextContent } from './known-objects.ts';
import { check, KEYS, keysOf, type Options, put, type Writer } from './writer.ts';

export function puts(options: Options): Writer {
  const keys = keysOf(options, KEYS);
  return {
    keys,
    async write() {
      for (const key of keys) await put(options, key);
    },
    check: check(keys),
  };
}

export function forms(options: Options): Writer {
  const keys = keysOf(options, KEYS);
  return {
    keys,
    async write() {
      for (const key of keys) {
        const content = nextContent();
        await key.change(content, () => options.sendForm(key.key, bytesOf(content)));
      }
    },
    check: check(keys),
  };
}

export function copies(options: Options): Writer {
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

export function deletes(options: Options): Writer {
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

export function bulkDeletes(options: Options): Writer {
  const { client, bucket } = options;
  const keys = keysOf(options, KEYS);
  return {
    keys,
    async write() {
      for (const key of keys) await put(options, key);
      const Objects = keys.map(({ key }) => ({ Key: key }));
      const sent = deleteObjects(client(), bucket, Objects);
      await Promise.all(keys.map((key) => key.change(null, () => sent)));
    },
    check: check(keys),
  };
}

/** Deletes several objects or versions. Throws where one of them is not deleted. */
export async function deleteObjects(
  client: S3Client,
  Bucket: string,
  Objects: { Key: string; VersionId?: string }[],
): Promise<void> {
  const { Errors = [] } = await client.send(
    new DeleteObjectsCommand({ Bucket, Delete: { Objects } }),
  );
  if (Errors.length > 0) {
    const message = JSON.stringify(Errors);
    throw Object.assign(new Error(message), { $metadata: { httpStatusCode: 200 } });
  }
}

/** Tags that are always set as two of one value, so that half of them would show. */
export function tags(options: Options): Writer {
  const { client, bucket } = options;
  const [key] = keysOf(options, 1) as [KnownKey];
  const about = { Bucket: bucket, Key: key.key };
  const known = new Known(`The tags of ${key.key}`, async () => {
    const answer = await foundBy(client().send(new GetObjectTaggingCommand(about)));
    const [one, other, ...more] = answer?.TagSet ?? [];
    if (one?.Value !== other?.Value || more.length > 0)
      throw new Error(`${key.key} has a part of its tags: ${JSON.stringify(answer?.TagSet)}`);
    return one?.Value ?? null;
  });
  const pair = (Value: string) => ['one', 'other'].map((Key) => ({ Key, Value }));
  return {
    keys: [key],
    more: [known],
    async write() {
      const content = nextContent();
      const Tagging = new URLSearchParams({ one: content, other: content }).toString();
      const object = { ...about, Body: bytesOf(content), Tagging };
      await known.change(content, () =>
        key.change(content, () => client().send(new PutObjectCommand(object))),
      );
      const value = nextContent();
      const input = { ...about, Tagging: { TagSet: pair(value) } };
      await known.change(value, () => client().send(new PutObjectTaggingCommand(input)));
      await known.change(null, () => client().send(new DeleteObjectTaggingCommand(about)));
    },
    check: check([key, known]),
  };
}
