import { objectAt } from '../../server/features/files/objects/object-store.ts';
import type { Database } from '../../server/platform/db/port.ts';
import type { SimulatedStore } from './simulated-store.ts';

/** What is at a key of a bucket. */
export type KnownObject = {
  bucketId: string;
  key: string;
  /** The name of the content; null for nothing. */
  content: string | null;
  /** Whether a client changes it, so that the content may be another one. */
  isBusy: boolean;
};

/** The folders that are moved, copied and deleted, and the names of the objects in each. */
export const FOLDERS = ['a/', 'b/', 'c/'];
const NAMES = ['1.txt', '2.txt', 'deep/3.txt'];

/** Knows what S3 clients have left at the keys of buckets. Only one client at a time changes what is at a key. */
export class KnownObjects {
  private readonly buckets = new Map<string, KnownObject[]>();

  /** Returns what is at the keys of a bucket, the objects of each folder in the same order. */
  in(bucketId: string, folder = ''): KnownObject[] {
    const known = this.buckets.get(bucketId) ?? createAll(bucketId);
    this.buckets.set(bucketId, known);
    return known.filter(({ key }) => key.startsWith(folder));
  }

  /** Returns what is wrong with the objects of a bucket, while nothing happens. */
  async *check(
    bucketId: string,
    { db }: Database,
    store: SimulatedStore,
  ): AsyncGenerator<string, void, undefined> {
    for (const { key, content } of this.in(bucketId)) {
      const row = await objectAt(db, bucketId, key);
      const object = row?.object_key ? await store.direct.open(row.object_key) : null;
      const text = object === null ? null : await (object.body() as Blob).text();
      const expected = content === null ? null : textOf(content);
      if (text !== expected) yield `${bucketId}/${key} has ${text} instead of ${expected}`;
      if ((row === undefined) !== (text === null)) yield `${bucketId}/${key} has no bytes`;
    }
  }
}

/** Returns the bytes of a content. */
export const textOf = (content: string): string => `id=${content};`;

const createAll = (bucketId: string): KnownObject[] =>
  FOLDERS.flatMap((folder) =>
    NAMES.map((name) => ({ bucketId, key: folder + name, content: null, isBusy: false })),
  );
