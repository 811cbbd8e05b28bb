import { afterEach, beforeEach, expect, test } from 'bun:test';
import type { FileWire } from '../../../server/contract/wire.ts';
import { auth } from '../../runtime/auth.ts';
import { freshImage } from './fresh-image.ts';

/** A fake server with the files of client ids, whose responses to uploads may get lost. */
const server = {
  files: new Map<string, Partial<FileWire>>(),
  /** The outcome of each upload in turn: it succeeds, or the request or its response is lost. */
  fates: [] as ('answered' | 'answer lost' | 'never arrives')[],
  requestCount: 0,
  deleted: [] as string[],
};

class FakeRequest {
  upload: { onprogress?: (event: { loaded: number }) => void } = {};
  status = 0;
  responseText = '';
  onload?: () => void;
  onerror?: () => void;
  open() {}
  setRequestHeader() {}
  getResponseHeader = () => null;
  abort() {}
  send(form: FormData) {
    const clientId = String(form.get('client_id'));
    const fate = server.fates[server.requestCount] ?? 'answered';
    server.requestCount += 1;
    setTimeout(() => {
      const stored = server.files.get(clientId) ?? { id: `file-${server.files.size}` };
      if (fate !== 'never arrives') server.files.set(clientId, stored);
      this.status = 201;
      this.responseText = JSON.stringify(stored);
      if (fate === 'answered') this.onload?.();
      else this.onerror?.();
    });
  }
}

const fakeFetch = async (input: unknown, init?: RequestInit) => {
  const id = String(input).split('/').at(-1) ?? '';
  if (init?.method === 'DELETE') {
    server.deleted.push(id);
    return new Response(null, { status: 204 });
  }
  const file = server.files.get(id);
  return file ? Response.json({ file_id: file.id }) : new Response('Not found', { status: 404 });
};

const real = { fetch: globalThis.fetch, XMLHttpRequest: globalThis.XMLHttpRequest };
beforeEach(() => {
  Object.assign(globalThis, { fetch: fakeFetch, XMLHttpRequest: FakeRequest });
  Object.assign(auth, { access: 'token', exp: Date.now() });
  // A colleague's image of the same name and size.
  const files = new Map([['colleague', { id: 'file-0', name: 'dawn.jpg', size: 3 }]]);
  Object.assign(server, { files, fates: [], requestCount: 0, deleted: [] });
});
afterEach(() => {
  Object.assign(globalThis, real);
  Object.assign(auth, { access: null, exp: null });
});

const photo = () => new File(['abc'], 'dawn.jpg', { type: 'image/jpeg' });

const goOnline = () => globalThis.dispatchEvent(new Event('online'));

/** @param onWait called when the upload waits for the connection */
function start(onWait: (stop: AbortController) => void = goOnline) {
  const destination = { access: 'public' as const, folder: '', replace: false };
  const upload = { ...destination, file: photo(), webp: false };
  const created = freshImage('bucket', upload);
  const stop = new AbortController();
  // The event is dispatched only while the upload waits, so that none affects later tests.
  const onPause = () => setTimeout(onWait, 0, stop);
  return { created, result: created.send({ signal: stop.signal, onSent() {}, onPause }) };
}

test('an image whose answer got lost is sent again under its id, and stays one file', async () => {
  server.fates = ['answer lost', 'never arrives', 'answered'];
  expect((await start().result).id).toBe('file-1');
  expect(server.requestCount).toBe(3);
  expect([...server.files.values()].map(({ id }) => id)).toEqual(['file-0', 'file-1']);
});

test.each([
  ['answer lost', ['file-1']],
  ['never arrives', []],
] as const)(
  'one that is stopped after its %s is removed, and nothing else is',
  async (fate, gone) => {
    server.fates = [fate];
    const { created, result } = start((stop) => stop.abort('stopped'));
    expect(await result.catch((reason) => reason)).toBe('stopped');
    await created.undo();
    expect(server.deleted).toEqual([...gone]);
  },
);
