import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
} from '@aws-sdk/client-s3';
import { MIB } from '../../server/contract/limits.ts';
import { runWrk } from '../delivery/wrk.ts';
import { median } from '../measurement.ts';
import { listedKey, type Side } from './sides.ts';

const CLIENT_CORE = 1;
/** More than a server stores in a second, so that each is new. */
const PUTS_PER_SECOND = 4000;
const PART_BYTES = 16 * MIB;
const PARALLEL_PARTS = 4;
const PAGES = 20;
const PAGE_KEYS = 1000;

export type Load = {
  programs: Record<'wrk' | 'taskset', string>;
  seconds: number;
  /** Files for the requests and the body of wrk. */
  list: string;
  body: string;
};

const loadOf = ({ seconds, list }: Load) => ({ seconds, core: CLIENT_CORE, list });

/** Returns how many new objects of the body a second are stored. `name` is not repeated. */
export async function measurePuts(side: Side, load: Load, name: string): Promise<number> {
  const requests = Array.from({ length: PUTS_PER_SECOND * load.seconds }, (_, n) => ({
    path: side.presign('PUT', `/${side.bucket}/${name}/${n}`),
  }));
  const options = { ...loadOf(load), body: load.body };
  return (await runWrk(load.programs, side.origin, requests, options)).requestsPerSecond;
}

/** Stores objects to be read, and returns their paths. */
export async function storeObjects(
  { origin, presign, bucket }: Side,
  name: string,
  count: number,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<string[]> {
  const paths: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const path = `/${bucket}/${name}/${n}`;
    await send(origin + presign('PUT', path), bytes);
    paths.push(path);
  }
  return paths;
}

/** Returns how many of some objects a second are read. */
export async function measureGets(side: Side, load: Load, paths: string[]): Promise<number> {
  const requests = paths.map((path) => ({ path: side.presign('GET', path) }));
  return (await runWrk(load.programs, side.origin, requests, loadOf(load))).requestsPerSecond;
}

/** Returns the seconds of an upload in parts of 16 MiB, four at a time, which is deleted again. */
export async function measureMultipart(side: Side, bytes: number): Promise<number> {
  const { client, origin, presign, bucket } = side;
  const about = { Bucket: bucket, Key: 'in-parts' };
  const part = new Uint8Array(PART_BYTES).fill(1);
  const started = performance.now();
  const { UploadId = '' } = await client.send(new CreateMultipartUploadCommand(about));
  const numbers = Array.from({ length: bytes / PART_BYTES }, (_, n) => n + 1);
  const Parts: { PartNumber: number; ETag: string }[] = [];
  const left = numbers.values();
  const work = async () => {
    for (const PartNumber of left) {
      const query = { partNumber: String(PartNumber), uploadId: UploadId };
      const response = await send(origin + presign('PUT', `/${bucket}/in-parts`, query), part);
      Parts.push({ PartNumber, ETag: response.headers.get('etag') ?? '' });
    }
  };
  await Promise.all(Array.from({ length: PARALLEL_PARTS }, work));
  const MultipartUpload = { Parts: Parts.sort((one, other) => one.PartNumber - other.PartNumber) };
  await client.send(new CompleteMultipartUploadCommand({ ...about, UploadId, MultipartUpload }));
  const seconds = (performance.now() - started) / 1000;
  await client.send(new DeleteObjectCommand(about));
  return seconds;
}

/** Returns the milliseconds of a page of 1,000 keys, the median of pages all over a bucket. */
export async function measurePages(
  { origin, presign, full }: Side,
  objects: number,
): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < PAGES; n += 1) {
    const after = listedKey(Math.floor(((objects - PAGE_KEYS) * n) / PAGES));
    const query = { 'list-type': '2', 'max-keys': String(PAGE_KEYS), 'start-after': after };
    const started = performance.now();
    const response = await fetch(origin + presign('GET', `/${full}`, query));
    const text = await response.text();
    times.push(performance.now() - started);
    const keys = text.split('<Key>').length - 1;
    if (keys !== PAGE_KEYS) throw new Error(`A page has ${keys} keys: ${text.slice(0, 300)}`);
  }
  return median(times);
}

async function send(url: string, body: Uint8Array<ArrayBuffer>): Promise<Response> {
  const response = await fetch(url, { method: 'PUT', body });
  if (!response.ok) throw new Error(`PUT: ${response.status} ${await response.text()}`);
  await response.arrayBuffer();
  return response;
}
