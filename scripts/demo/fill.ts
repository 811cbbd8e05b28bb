import type { SessionWire } from '../../server/contract/wire.ts';
import { findFfmpegBinaries } from '../../server/runtime/ffmpeg-binaries.ts';
import { createBucket, sendFile, signUp, waitForFile } from '../../tests/support/client/api.ts';
import type { StripeFixture } from '../../tests/support/payments/stripe.ts';
import { startServerProcess } from '../../tests/support/server/server-process.ts';
import type { DemoFolder } from './folder.ts';
import { addPast } from './history.ts';
import { demoPictures, demoVideo } from './media.ts';

/**
 * Fills the folder of a demo through the API of a server that runs for as long: an account, buckets, files
 * that the media process encodes, and payments at the stand-in for Stripe. Returns the session of the account.
 */
export async function fillDemo(
  folder: DemoFolder,
  env: Record<string, string>,
  stripe: StripeFixture,
): Promise<SessionWire> {
  const tools = findFfmpegBinaries(process.env.FFMPEG_PATH || null);
  if (!tools) throw new Error('The demo needs ffmpeg and ffprobe on the path, or FFMPEG_PATH.');
  const [pictures, video] = await Promise.all([demoPictures(), demoVideo(tools.ffmpeg)]);
  const server = await startServerProcess({
    env: { ...env, SIGNUP_CREDIT: '0' },
    dataDir: folder.dataDir,
  });
  const buckets: string[] = [];
  let session: SessionWire;
  try {
    session = await signUp(server, folder.email, folder.password);
    const { token } = session;
    await createBucket(server, token, 'Drafts');
    const films = await createBucket(server, token, 'Product videos');
    const website = await createBucket(server, token, 'Website');
    buckets.push(films.id, website.id);
    const add = async (
      bucket: typeof films,
      kind: 'image' | 'video',
      fields: Record<string, string>,
      media: typeof video,
    ) => {
      const { id } = await sendFile(server, bucket, kind, fields, media.bytes, media.name);
      return () => waitForFile(server, bucket, id);
    };
    const ended = [];
    const sizes = { resolution: '960x540,480x270', timeline_preview: 'yes' };
    const cut = { name: 'lost-connection.mp4', bytes: video.bytes.subarray(0, 64 * 1024) };
    ended.push(await add(films, 'video', { ...sizes, access: 'public' }, cut));
    for (const [at, picture] of pictures.entries()) {
      const access = at % 4 === 3 ? 'private' : 'public';
      ended.push(await add(website, 'image', { access, webp: 'yes' }, picture));
    }
    ended.push(await add(films, 'video', { ...sizes, access: 'public' }, video));
    const trailer = { ...video, name: 'trailer.mp4' };
    ended.push(await add(website, 'video', { ...sizes, access: 'private' }, trailer));
    for (const wait of ended) await wait();
    for (const usd of [10, 25, 50]) await payByCard(server.url, token, usd, stripe);
  } finally {
    await server.stop();
  }
  addPast(folder.dataDir, buckets);
  await folder.complete();
  return session;
}

async function payByCard(url: string, token: string, usd: number, stripe: StripeFixture) {
  const headers = { authorization: `Bearer ${token}` };
  const call = async (method: string, path: string) => {
    const response = await fetch(`${url}${path}`, { method, headers });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response;
  };
  const checkout = await call('POST', `/payments/stripe/checkout/${usd}`);
  stripe.pay(stripe.at(((await checkout.json()) as { url: string }).url));
  await call('GET', '/payments/stripe/update');
}
