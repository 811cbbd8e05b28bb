import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { MIB } from '../../server/contract/limits.ts';
import type { Access } from '../../server/contract/wire.ts';
import { createToken, uploadImage } from '../../tests/support/client/api.ts';
import type { ServerProcess } from '../../tests/support/server/server-process.ts';
import { createBenchBucket, makeImage, SIZES } from '../fixtures.ts';
import type { WrkRequest } from './wrk.ts';

/** Uploads at the same time; more would wait in the server's queue. */
const CONCURRENCY = 8;

type Size = keyof typeof SIZES;

/**
 * A comparison of files of one size, delivered by Wharf and by nginx. Private files are compared with
 * Wharf's public ones.
 */
export type Case = {
  name: string;
  size: Size;
  access: Access;
  /** The bytes of one range; the whole file without it. */
  range?: number;
  /** The target for requests per second, relative to the peer. */
  toReach: number;
};

export const CASES: Case[] = [
  { name: '1 KiB', size: '1 KiB', access: 'public', toReach: 0.8 },
  { name: '100 KiB', size: '100 KiB', access: 'public', toReach: 1 },
  { name: '10 MiB', size: '10 MiB', access: 'public', toReach: 0.9 },
  { name: 'range of 1 MiB', size: '10 MiB', access: 'public', range: MIB, toReach: 0.7 },
  { name: '1 KiB, private', size: '1 KiB', access: 'private', toReach: 0.9 },
  { name: '100 KiB, private', size: '100 KiB', access: 'private', toReach: 0.9 },
  { name: '10 MiB, private', size: '10 MiB', access: 'private', toReach: 0.9 },
];

/**
 * Returns the number of distinct files. Of the largest size there are a hundredth as many, to limit the
 * bytes.
 */
export const countOf = (size: Size, files: number) =>
  size === '10 MiB' ? Math.ceil(files / 100) : files;

/** The paths of the files of one size, with a token where they are private, and those of nginx. */
type DeliveredFiles = { bytes: number; paths: Record<Access | 'nginx', string[]> };

/** Uploads the files of `cases` over the API, and copies what is delivered of them into `www` for nginx. */
export async function uploadFiles(
  server: ServerProcess,
  www: string,
  cases: Case[],
  files: number,
): Promise<Map<Size, DeliveredFiles>> {
  const { bucket } = await createBenchBucket(server);
  const jwt = await createToken(server, bucket);
  const filesBySize = new Map<Size, DeliveredFiles>();
  for (const size of new Set(cases.map((one) => one.size))) {
    const name = `${SIZES[size]}.jpg`;
    const image = new File([await makeImage(SIZES[size])], name, { type: 'image/jpeg' });
    const count = countOf(size, files);
    const put = async (access: Access) => {
      const isUsed = cases.some((one) => one.size === size && one.access === access);
      return inTurns(isUsed ? count : 0, async () => {
        const { url } = await uploadImage(server, bucket, image, access);
        return new URL(url ?? '').pathname + (access === 'private' ? `?jwt=${jwt}` : '');
      });
    };
    const [open, secret] = [await put('public'), await put('private')];
    const bytes = await (await fetch(`${server.url}${open[0] ?? secret[0]}`)).bytes();
    await mkdir(join(www, name), { recursive: true });
    const copies = Array.from({ length: count }, (_, index) => `/${name}/${index}.jpg`);
    for (const copy of copies) await Bun.write(join(www, copy), bytes);
    const paths = { public: open, private: secret, nginx: copies };
    filesBySize.set(size, { bytes: bytes.length, paths });
  }
  return filesBySize;
}

async function inTurns<Value>(count: number, make: () => Promise<Value>): Promise<Value[]> {
  const results: Value[] = [];
  let remaining = count;
  const work = async () => {
    while (remaining > 0) {
      remaining -= 1;
      results.push(await make());
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return results;
}

/** Returns a request for every whole file, or for every range of it. */
export function requestsOf(
  delivered: DeliveredFiles,
  peer: Access | 'nginx',
  range: number | undefined,
): WrkRequest[] {
  const paths = delivered.paths[peer];
  if (range === undefined) return paths.map((path) => ({ path }));
  const starts = Array.from({ length: Math.floor(delivered.bytes / range) }, (_, at) => at * range);
  return paths.flatMap((path) =>
    starts.map((start) => ({ path, range: `bytes=${start}-${start + range - 1}` })),
  );
}
