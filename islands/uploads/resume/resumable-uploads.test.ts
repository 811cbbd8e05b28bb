import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { VIDEO_CHUNK_BYTES } from '../../../server/contract/limits.ts';
import { auth } from '../../runtime/auth.ts';
import {
  discard,
  findResumableUpload,
  freshVideo,
  listResumableUploads,
  resumedVideo,
} from './resumable-uploads.ts';
import type { ResumeEntry } from './resume-entries.ts';
import { claimUpload } from './running-uploads.ts';

const TOTAL_CHUNKS = 3;
const BUCKET = 'harbour';

/** A fake server: the chunks of each upload, and the client id of each file. */
const server = {
  chunks: new Map<string, Set<number>>(),
  files: new Set<string>(),
  /** The folder and `on_conflict` of each chunk that was sent. */
  destinations: [] as [unknown, unknown][],
  /** What each chunk says of the optimisation. */
  optimizations: [] as [unknown, unknown, unknown][],
};

class FakeRequest {
  upload: { onprogress?: (event: { loaded: number }) => void } = {};
  status = 0;
  responseText = '';
  onload?: () => void;
  open() {}
  setRequestHeader() {}
  getResponseHeader = () => null;
  abort() {}
  send(form: FormData) {
    const clientId = String(form.get('client_id'));
    server.destinations.push([form.get('folder'), form.get('on_conflict')]);
    const [optimize, size, preview] = ['optimize', 'resolution', 'timeline_preview'].map((name) =>
      form.get(name),
    );
    server.optimizations.push([optimize, size, preview]);
    const chunks = server.chunks.get(clientId) ?? new Set();
    server.chunks.set(clientId, chunks.add(Number(form.get('chunk_number'))));
    const isComplete = chunks.size === TOTAL_CHUNKS;
    if (isComplete) server.files.add(clientId);
    this.status = isComplete ? 201 : 202;
    this.responseText = JSON.stringify(isComplete ? { id: clientId } : { received: chunks.size });
    const respond = () => this.onload?.();
    // A chunk that is held back is one whose tab was closed before its response.
    if (chunks.size <= allowedChunks) setTimeout(respond);
  }
}
let allowedChunks = TOTAL_CHUNKS;

const fakeFetch = async (input: unknown, init?: RequestInit) => {
  const clientId = String(input).split('/').at(-1) ?? '';
  const received = server.chunks.get(clientId);
  if (!received) return new Response('Not found.', { status: 404 });
  if (init?.method === 'DELETE') {
    server.chunks.delete(clientId);
    return new Response(null, { status: 204 });
  }
  const fileId = server.files.has(clientId) ? clientId : null;
  const expires = new Date(Date.now() + 1e6).toISOString();
  return Response.json({ received: [...received], file_id: fileId, expires });
};

/** The browser's locks, which all of its tabs share. */
const held = new Set<string>();
const locks = {
  query: async () => ({ held: [...held].map((name) => ({ name })) }),
  async request(name: string, _: object, work: (lock: object | null) => unknown) {
    if (held.has(name)) return work(null);
    held.add(name);
    return Promise.resolve(work({ name })).finally(() => held.delete(name));
  },
};

/** Local storage, whose keys are its own properties. */
class FakeStorage {
  [key: string]: unknown;
}
Object.assign(FakeStorage.prototype, {
  setItem(this: FakeStorage, key: string, value: string) {
    this[key] = value;
  },
  getItem(this: FakeStorage, key: string) {
    return this[key] ?? null;
  },
  removeItem(this: FakeStorage, key: string) {
    delete this[key];
  },
});

const real = {
  fetch: globalThis.fetch,
  XMLHttpRequest: globalThis.XMLHttpRequest,
  localStorage: globalThis.localStorage,
};
beforeEach(() => {
  Object.assign(globalThis, { fetch: fakeFetch, XMLHttpRequest: FakeRequest });
  Object.assign(globalThis, { localStorage: new FakeStorage() });
  Object.defineProperty(navigator, 'locks', { value: locks, configurable: true });
  Object.assign(auth, { access: 'token', exp: Date.now() });
  Object.assign(server, { chunks: new Map(), files: new Set(), destinations: [] });
  server.optimizations = [];
  held.clear();
  allowedChunks = TOTAL_CHUNKS;
});
afterEach(() => {
  Object.assign(globalThis, real);
  Reflect.deleteProperty(navigator, 'locks');
  Object.assign(auth, { access: null, exp: null });
});

const holiday = (text = 'a') =>
  new File([text.repeat(2 * VIDEO_CHUNK_BYTES + 5)], 'holiday.mp4', { lastModified: 7 });
const options = {
  thumbnail: null,
  access: 'private' as const,
  resolution: '320x180',
  timelinePreview: true,
  folder: '2026/',
  replace: true,
};
const sending = (signal = new AbortController().signal) => ({ signal, onSent() {}, onPause() {} });

const stored = () => Object.values(localStorage).map((text) => JSON.parse(text) as ResumeEntry);

/** Sends one chunk of a video, whose tab then ends. Returns its client id. */
async function interrupt(file: File, replace = true, isExact = false): Promise<string> {
  allowedChunks = 1;
  const tab = new AbortController();
  const upload = freshVideo(BUCKET, { ...options, replace, isExact, file });
  const result = upload.send(sending(tab.signal)).catch(() => {});
  const { clientId } = upload.about;
  while ((server.chunks.get(clientId)?.size ?? 0) < 2) await Bun.sleep(0);
  server.chunks.get(clientId)?.delete(1);
  tab.abort(new Error('The tab was closed.'));
  await result;
  allowedChunks = TOTAL_CHUNKS;
  return clientId;
}

test('the same video in two tabs at once is two uploads, and neither is offered as interrupted', async () => {
  const file = holiday();
  allowedChunks = 1;
  const tabs = [1, 2].map(() => freshVideo(BUCKET, { ...options, file }));
  for (const tab of tabs) void tab.send(sending());
  while ([...server.chunks.values()].filter(({ size }) => size === 2).length < 2)
    await Bun.sleep(0);
  expect(stored().map(({ received }) => received)).toEqual([1, 1]);
  expect(await listResumableUploads(BUCKET)).toEqual([]);
  expect(await findResumableUpload(BUCKET, file)).toBeNull();
});

describe('an interrupted upload', () => {
  test('is found by its file, with its options and what the server has', async () => {
    const clientId = await interrupt(holiday());
    const found = await findResumableUpload(BUCKET, holiday());
    expect(found).toMatchObject({ received: [0], entry: { clientId, access: 'private' } });
    expect(found?.entry).toMatchObject({ resolution: '320x180', timelinePreview: true });
    expect(await listResumableUploads(BUCKET)).toMatchObject([{ clientId, received: 1 }]);
  });

  test('is not found by another file of its name, size and time, nor in another bucket', async () => {
    await interrupt(holiday());
    expect(await findResumableUpload(BUCKET, holiday('b'))).toBeNull();
    expect(await findResumableUpload('other', holiday())).toBeNull();
    expect(await listResumableUploads('other')).toEqual([]);
  });

  test('goes on once where it is resumed twice, and is forgotten', async () => {
    const clientId = await interrupt(holiday());
    const found = await Promise.all([1, 2].map(() => findResumableUpload(BUCKET, holiday())));
    const results = await Promise.allSettled(
      found.map((one) => one && resumedVideo(BUCKET, holiday(), one).send(sending())),
    );
    expect(results).toMatchObject([
      { status: 'fulfilled', value: { id: clientId } },
      { status: 'rejected', reason: { status: 409 } },
    ]);
    expect(server.destinations).toHaveLength(TOTAL_CHUNKS + 1);
    expect([...server.files]).toEqual([clientId]);
    expect(stored()).toEqual([]);
  });

  test('is left to the tab that goes on with it, also while that waits for its turn', async () => {
    const clientId = await interrupt(holiday());
    const found = await findResumableUpload(BUCKET, holiday());
    held.add(`upload ${clientId}`);
    const upload = found && resumedVideo(BUCKET, holiday(), found);
    expect(upload?.send(sending())).rejects.toMatchObject({ status: 409 });
    expect(await claimUpload(clientId)).toBe(false);
    held.clear();
    expect([await claimUpload(clientId), await claimUpload(clientId)]).toEqual([true, false]);
    expect(await listResumableUploads(BUCKET)).toEqual([]);
    expect(held.size).toBe(1);
    expect(await upload?.send(sending())).toMatchObject({ id: clientId });
    expect(held.size).toBe(0);
  });

  test.each([
    [true, 'replace'],
    [false, 'rename'],
  ])('goes on to its folder; with replace: %p, all of its chunks say %p', async (replace, said) => {
    await interrupt(holiday(), replace);
    const found = await findResumableUpload(BUCKET, holiday());
    expect(found?.entry).toMatchObject({ folder: '2026/', replace });
    if (found) await resumedVideo(BUCKET, holiday(), found).send(sending());
    expect(server.destinations).toHaveLength(4);
    expect(new Set(server.destinations.map(String))).toEqual(new Set([`2026/,${said}`]));
  });

  test('of a video that is kept as it is goes on so, without the options of others', async () => {
    await interrupt(holiday(), true, true);
    const found = await findResumableUpload(BUCKET, holiday());
    if (found) await resumedVideo(BUCKET, holiday(), found).send(sending());
    expect(server.optimizations).toEqual(Array.from({ length: 4 }, () => ['no', null, null]));
  });

  test('of an earlier version replaces nothing', async () => {
    const clientId = await interrupt(holiday());
    const [key = ''] = Object.keys(localStorage);
    const { folder: _, replace: __, ...earlier } = stored()[0] as ResumeEntry;
    localStorage.setItem(key, JSON.stringify(earlier));
    server.destinations = [];
    const found = await findResumableUpload(BUCKET, holiday());
    expect(found?.entry.clientId).toBe(clientId);
    if (found) await resumedVideo(BUCKET, holiday(), found).send(sending());
    expect(server.destinations.map(String)).toEqual([',rename', ',rename']);
  });

  test('is forgotten with its part on the server when it is discarded', async () => {
    const clientId = await interrupt(holiday());
    const found = await findResumableUpload(BUCKET, holiday());
    if (found) await discard(found.entry);
    expect(server.chunks.has(clientId)).toBe(false);
    expect(stored()).toEqual([]);
  });

  test('is forgotten where the server has forgotten it, or its first chunk, or has its file', async () => {
    for (const change of [
      (id: string) => server.chunks.delete(id),
      (id: string) => server.chunks.set(id, new Set([1])),
      (id: string) => server.files.add(id),
    ]) {
      change(await interrupt(holiday()));
      expect(await listResumableUploads(BUCKET)).toEqual([]);
      expect(stored()).toEqual([]);
    }
  });
});
