import type { FileWire } from '../../server/contract/wire.ts';
import {
  chunkPieces,
  contentOfChunks,
  FORM_TYPE,
  filePieces,
  imagePieces,
  isBroken,
  nameContent,
} from './content.ts';
import type { KnownFile, Oracle } from './oracle.ts';
import { piecewise } from './piecewise.ts';
import type { Profile } from './profiles.ts';
import type { SimulatedProcess } from './simulated-process.ts';
import type { World } from './world.ts';

export type KnownBucket = { id: string; key: string; isDeleting: boolean };

type Options = {
  world: World;
  profile: Profile;
  oracle: Oracle;
  /** Returns a process to send a request to. */
  process: () => SimulatedProcess;
  buckets: KnownBucket[];
};

const BROKEN_PROBABILITY = 0.03;
const TWO_CHUNKS_PROBABILITY = 0.1;
const CUT_PROBABILITY = 0.15;
const RETRY_LATER = [400, 408, 429, 500, 503, 507];

/** What clients do: each method is one of them, from its first request to its last. */
export class Clients {
  private uploads = 0;
  private readonly options: Options;

  constructor(options: Options) {
    this.options = options;
  }

  async uploadImage(bucket: KnownBucket): Promise<void> {
    const content = this.newContent();
    const response = await this.send(bucket, 'image', imagePieces(content), this.mayCut());
    if (response?.status !== 201) return this.expectRefusal(bucket, response, [409]);
    this.acknowledge(bucket, ((await response.json()) as FileWire).id, content);
  }

  /** Uploads a file that is not processed, so that nothing of it can be broken. */
  async uploadFile(bucket: KnownBucket): Promise<void> {
    const content = this.newContent(0);
    const response = await this.send(bucket, 'file', filePieces(content), this.mayCut());
    if (response?.status !== 201) return this.expectRefusal(bucket, response, [409]);
    this.acknowledge(bucket, ((await response.json()) as FileWire).id, content);
  }

  /** Uploads a video chunk by chunk until it is there, and resends what may not have arrived. */
  async uploadVideo(bucket: KnownBucket): Promise<void> {
    const { world, profile } = this.options;
    const content = this.newContent();
    const clientId = `client-${content}`;
    const total = world.chance(TWO_CHUNKS_PROBABILITY) ? 2 : 1;
    const received = new Set<number>();
    while (!bucket.isDeleting) {
      const missing = Array.from({ length: total }, (_, n) => n).filter((n) => !received.has(n));
      const number = world.pick(missing) ?? 0;
      const isAbandoned = world.isFailing(profile.abandon);
      const pieces = chunkPieces({ content, clientId, total }, number);
      const sent = this.send(bucket, 'video', pieces, isAbandoned || this.mayCut());
      if (isAbandoned) {
        void sent.catch(() => {});
        continue;
      }
      const response = await sent;
      if (response?.status === 201) {
        const { id } = (await response.json()) as FileWire;
        return this.acknowledge(bucket, id, contentOfChunks(content, total));
      }
      if (response?.status === 202) received.add(number);
      else this.expectRefusal(bucket, response, [409]);
      await this.checkChunks(bucket, clientId, received);
    }
  }

  /** Deletes a file, and repeats that until the answer is known. */
  async deleteFile(file: KnownFile): Promise<void> {
    const { process, oracle, buckets } = this.options;
    const bucket = buckets.find(({ id }) => id === file.bucketId);
    if (!bucket || file.state !== 'live') return;
    file.state = 'deleting';
    for (let isFirst = true; !bucket.isDeleting; isFirst = false) {
      const path = `files/${file.bucketId}/${file.id}`;
      const response = await process().request(this.api(bucket, path, { method: 'DELETE' }));
      if (response?.status === 404 && isFirst && !bucket.isDeleting)
        oracle.fail(`the acknowledged file ${file.id} is not found by its deletion`);
      if (response?.status === 204 || response?.status === 404) {
        file.state = 'deleted';
        return;
      }
      this.expectRefusal(bucket, response, [409]);
    }
  }

  /** Copies a file to a path with a number, as long as there is one to copy. */
  async copyFile(file: KnownFile): Promise<void> {
    const { process, oracle, buckets } = this.options;
    const { bucketId, content } = file;
    const bucket = buckets.find(({ id }) => id === bucketId);
    if (!bucket || file.state !== 'live') return;
    const body = JSON.stringify({ on_conflict: 'rename' });
    const init = { method: 'POST', body, headers: { 'content-type': 'application/json' } };
    const request = this.api(bucket, `files/copy/${bucketId}/${file.id}`, init);
    const response = await process().request(request);
    if (response?.status === 200)
      this.acknowledge(bucket, ((await response.json()) as FileWire).id, content);
    else if (response?.status !== 404) this.expectRefusal(bucket, response, [409]);
    else if (file.state === 'live' && !bucket.isDeleting)
      oracle.fail(`the acknowledged file ${file.id} is not found by its copy`);
  }

  private async checkChunks(bucket: KnownBucket, clientId: string, received: Set<number>) {
    const { process, oracle } = this.options;
    if (received.size === 0) return;
    const path = `files/upload/video/${bucket.id}/${clientId}`;
    const response = await process().request(this.api(bucket, path));
    if (response?.status !== 200 && response?.status !== 404) return;
    const known =
      response.status === 200 ? ((await response.json()) as { received: number[] }).received : [];
    for (const number of received) {
      if (known.includes(number) || bucket.isDeleting) continue;
      oracle.fail(`chunk ${number} of ${clientId} was acknowledged and is lost`);
    }
  }

  private expectRefusal(bucket: KnownBucket, response: Response | null, more: number[]): void {
    const { oracle } = this.options;
    if (response === null || bucket.isDeleting) return;
    if ([...RETRY_LATER, ...more].includes(response.status)) return;
    oracle.fail(`a request of ${bucket.id} is answered ${response.status}`);
  }

  private acknowledge(bucket: KnownBucket, id: string, content: string): void {
    if (bucket.isDeleting) return;
    const bucketId = bucket.id;
    this.options.oracle.acknowledge({ id, bucketId, content, isBroken: isBroken(content) });
  }

  private newContent(brokenProbability = BROKEN_PROBABILITY): string {
    this.uploads += 1;
    return nameContent(this.uploads, !this.options.world.chance(brokenProbability));
  }

  private mayCut(): boolean {
    const { world } = this.options;
    return world.isFailing(CUT_PROBABILITY);
  }

  private api(bucket: KnownBucket, path: string, init: RequestInit = {}): Request {
    return new Request(`http://localhost/${path}`, {
      ...init,
      headers: { ...init.headers, 'x-api-key': bucket.key },
    });
  }

  private send(
    bucket: KnownBucket,
    kind: 'file' | 'image' | 'video',
    pieces: Uint8Array[],
    isCut: boolean,
  ): Promise<Response | null> {
    const { process, world } = this.options;
    const server = process();
    const cutAt = isCut ? world.below(pieces.length) : null;
    const body = piecewise(world, server.life, pieces, cutAt);
    const path = `files/upload/${kind}/${bucket.id}`;
    return server.request(
      this.api(bucket, path, { method: 'POST', headers: { 'content-type': FORM_TYPE }, body }),
    );
  }
}
