import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KIB, MIB } from '../../server/contract/limits.ts';
import type { BucketDetailWire, FilePageWire } from '../../server/contract/wire.ts';
import { sendImage, uploadImage } from '../../tests/support/client/api.ts';
import { makeClip, makePhoto } from '../../tests/support/fixtures/make-media.ts';
import type { ServerProcess } from '../../tests/support/server/server-process.ts';
import { makeImage } from '../fixtures.ts';
import { sendClip } from './soak-video.ts';

/** A request that is repeated. It rejects where its response is not the expected one. */
export type Kind = { name: string; perSecond: number; send: () => Promise<void> };

type Owner = { token: string; bucket: BucketDetailWire; jwt: string };
type Library = Owner & {
  server: ServerProcess;
  open: string[];
  secret: string[];
  large: string[];
  photos: string[];
  playlists: string[];
  photo: Buffer<ArrayBuffer>;
  clip: Uint8Array<ArrayBuffer>;
};

const SMALL_FILES = 200;
const LARGE_FILES = 3;
const PHOTOS = 10;
/** Further uploads are deleted again, so that the disk usage does not grow. */
const LIVE_UPLOADS = 50;

/** Uploads files to deliver: small, large and private ones, photos for transforms, and a video. */
export async function prepare(server: ServerProcess, owner: Owner): Promise<Library> {
  const { bucket, jwt } = owner;
  const put = async (
    count: number,
    bytes: Uint8Array<ArrayBuffer>,
    access: 'public' | 'private',
  ) => {
    const paths: string[] = [];
    for (let index = 0; index < count; index += 1) {
      const image = new File([bytes], `${index}.jpg`, { type: 'image/jpeg' });
      const { url } = await uploadImage(server, bucket, image, access);
      paths.push((url ?? '') + (access === 'private' ? `?jwt=${jwt}` : ''));
    }
    return paths;
  };
  const photo = Buffer.from(await makePhoto({ width: 1600, height: 1200 }));
  const small = await makeImage(60 * KIB);
  const clip = await clipBytes();
  return {
    ...owner,
    server,
    photo,
    clip,
    open: await put(SMALL_FILES, small, 'public'),
    secret: await put(SMALL_FILES / 2, small, 'private'),
    large: await put(LARGE_FILES, await makeImage(10 * MIB), 'public'),
    photos: await put(PHOTOS, new Uint8Array(photo), 'public'),
    playlists: await playlistsOf(await sendClip(server, bucket, clip)),
  };
}

/** Returns the requests of a busy site to one small server. */
export const kindsOf = (library: Library): Kind[] => [
  ...deliveries(library),
  ...pages(library),
  imageUploads(library),
  videoUploads(library),
];

function deliveries({ open, secret, large, photos, playlists }: Library): Kind[] {
  const widths = [200, 320, 480, 640, 800, 960, 1200];
  const range = { headers: { range: 'bytes=1048576-2097151' } };
  const smaller = () => `${anyOf(photos)}?width=${anyOf(widths)}&format=webp`;
  return [
    read('small files', 100, () => anyOf(open)),
    read('private files', 40, () => anyOf(secret)),
    read('ranges of 1 MiB', 10, () => anyOf(large), range, 206),
    read('10 MiB whole', 1, () => anyOf(large)),
    read('images made smaller', 20, smaller),
    read('playlists, segments', 20, () => anyOf(playlists)),
    read('what is not there', 5, () => `${anyOf(open)}.missing`, {}, 404),
  ];
}

function pages({ server, bucket, token }: Library): Kind[] {
  const init = { headers: authorization(token) };
  return [
    read('list of files', 2, () => `${server.url}/files/${bucket.id}?limit=50`, init),
    read('list of buckets', 2, () => `${server.url}/buckets?limit=50`, init),
    read('chart', 1, () => `${server.url}/buckets/chart/${bucket.id}`, init),
    read('landing page', 2, () => `${server.url}/`),
  ];
}

function imageUploads(library: Library): Kind {
  const { server, bucket, photo } = library;
  const uploaded: string[] = [];
  return {
    name: 'image uploads',
    perSecond: 1,
    async send() {
      const image = new File([photo], 'photo.jpg', { type: 'image/jpeg' });
      uploaded.push((await sendImage(server, bucket, image, { webp: true })).id);
      const old = uploaded.length > LIVE_UPLOADS ? uploaded.shift() : undefined;
      if (old) await deleteFile(library, old);
    },
  };
}

function videoUploads(library: Library): Kind {
  const { server, bucket, clip } = library;
  return {
    name: 'video uploads',
    perSecond: 1 / 30,
    async send() {
      await deleteFile(library, (await sendClip(server, bucket, clip)).id);
    },
  };
}

const read = (
  name: string,
  perSecond: number,
  next: () => string,
  init: RequestInit = {},
  status = 200,
): Kind => ({ name, perSecond, send: () => expectStatus(next(), init, status) });

const authorization = (token: string) => ({ authorization: `Bearer ${token}` });

function deleteFile({ server, bucket, token }: Library, id: string): Promise<void> {
  const url = `${server.url}/files/${bucket.id}/${id}`;
  return expectStatus(url, { method: 'DELETE', headers: authorization(token) }, 204);
}

async function expectStatus(url: string, init: RequestInit, status: number): Promise<void> {
  const response = await fetch(url, init);
  await response.arrayBuffer();
  if (response.status !== status)
    throw new Error(`${init.method ?? 'GET'} ${url}: ${response.status}`);
}

/** Returns the master playlist, the playlists it refers to, and all of their segments. */
async function playlistsOf({ url }: FilePageWire['data'][number]): Promise<string[]> {
  const urls = [url ?? ''];
  for (const from of urls) {
    if (!from.includes('.m3u8')) continue;
    const text = await (await fetch(from)).text();
    const names = [...text.matchAll(/URI="([^"]+)"|^([^#\s].*)$/gm)].map(
      (one) => one[1] ?? one[2] ?? '',
    );
    urls.push(
      ...names.map((name) => new URL(name, from).href).filter((one) => !urls.includes(one)),
    );
  }
  return urls;
}

async function clipBytes(): Promise<Uint8Array<ArrayBuffer>> {
  const folder = await mkdtemp(join(tmpdir(), 'wharf-bench-'));
  try {
    const path = join(folder, 'clip.mp4');
    await makeClip(path, { width: 1280, height: 720, seconds: 10 });
    return await Bun.file(path).bytes();
  } finally {
    await rm(folder, { recursive: true });
  }
}

function anyOf<Item>(items: Item[]): Item {
  return items[Math.floor(Math.random() * items.length)] as Item;
}
