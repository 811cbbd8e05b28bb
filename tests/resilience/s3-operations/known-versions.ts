import {
  DeleteObjectCommand,
  ListObjectVersionsCommand,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { bytesOf, KnownKey, nextContent, read } from './known-objects.ts';
import type { Options } from './writer.ts';

/** An object of a bucket that keeps versions, which one writer changes. */
export class KnownVersions {
  readonly current: KnownKey;
  private readonly client: () => S3Client;
  private readonly about: { Bucket: string; Key: string };
  /** The contents of the versions that must be there, by their IDs, the newest last. */
  private readonly kept = new Map<string, string>();
  /** The IDs of versions whose deletion was acknowledged. */
  private readonly gone = new Set<string>();

  constructor({ client, bucket, prefix }: Options, number: number) {
    this.client = client;
    this.about = { Bucket: bucket, Key: `${prefix}/${number}` };
    this.current = new KnownKey(client, bucket, this.about.Key);
  }

  async put(): Promise<void> {
    const content = nextContent();
    await this.current.change(content, async () => {
      const command = new PutObjectCommand({ ...this.about, Body: bytesOf(content) });
      const { VersionId = '' } = await this.client().send(command);
      this.kept.set(VersionId, content);
    });
  }

  /** Returns what names the newest version. */
  newest(): { Key: string; VersionId: string } {
    return { Key: this.about.Key, VersionId: [...this.kept.keys()].at(-1) ?? '' };
  }

  /** Deletes the newest version by `send`, so that the one before is the object again. */
  async deleteNewest(send: () => Promise<unknown>): Promise<void> {
    const { VersionId } = this.newest();
    this.kept.delete(VersionId);
    await this.current.change(this.newestContent(), send);
    this.gone.add(VersionId);
  }

  /** Deletes the object, and then its delete marker, so that it is there again. */
  async hide(): Promise<void> {
    let marker: string | undefined;
    await this.current.change(null, async () => {
      marker = (await this.client().send(new DeleteObjectCommand(this.about))).VersionId;
    });
    const deleting = new DeleteObjectCommand({ ...this.about, VersionId: marker });
    await this.current.change(this.newestContent(), () => this.client().send(deleting));
  }

  /** Throws where a version that must be there is not, or is not whole, and where one is back. Begins anew then. */
  async check(): Promise<void> {
    await this.current.check();
    const listed = new Map<string, string>();
    for (const { VersionId = '' } of (await this.list()).versions) {
      const content = await read(this.client(), { ...this.about, VersionId });
      if (content === null) throw new Error(`${VersionId} is listed, and can not be read.`);
      listed.set(VersionId, content);
    }
    for (const [id, content] of this.kept)
      if (listed.get(id) !== content) throw new Error(`${id} has ${listed.get(id)}.`);
    for (const id of this.gone) if (listed.has(id)) throw new Error(`${id} is back.`);
    await this.current.change(null, () => this.empty());
    await this.current.check();
    this.kept.clear();
    this.gone.clear();
  }

  /** Deletes all versions and delete markers, also those that show once others are gone. */
  private async empty(): Promise<void> {
    let { versions, markers } = await this.list();
    while (versions.length + markers.length > 0) {
      for (const { VersionId } of [...versions, ...markers])
        await this.client().send(new DeleteObjectCommand({ ...this.about, VersionId }));
      ({ versions, markers } = await this.list());
    }
  }

  private async list() {
    const { Bucket, Key: Prefix } = this.about;
    const command = new ListObjectVersionsCommand({ Bucket, Prefix });
    const { Versions: versions = [], DeleteMarkers: markers = [] } =
      await this.client().send(command);
    return { versions, markers };
  }

  private newestContent(): string | null {
    return [...this.kept.values()].at(-1) ?? null;
  }
}
