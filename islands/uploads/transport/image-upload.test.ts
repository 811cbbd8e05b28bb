import { afterEach, beforeEach, expect, test } from 'bun:test';
import type { FileWire } from '../../../server/contract/wire.ts';
import { auth } from '../../runtime/auth.ts';
import { imageUploads } from './image-upload.ts';

/** A fake server with a list of files, whose responses to uploads may get lost. */
const server = {
  files: [] as Partial<FileWire>[],
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
    const file = form.get('file') as File;
    const fate = server.fates[server.requestCount] ?? 'answered';
    server.requestCount += 1;
    setTimeout(() => {
      const stored = { id: `02-${server.requestCount}`, name: file.name, size: file.size };
      if (fate !== 'never arrives') server.files.unshift({ ...stored, file_type: 'image' });
      this.status = 201;
      this.responseText = JSON.stringify(stored);
      if (fate === 'answered') this.onload?.();
      else this.onerror?.();
    });
  }
}

const fakeFetch = async (input: unknown, init?: RequestInit) => {
  if (init?.method === 'DELETE') {
    server.deleted.push(String(input).split('/').at(-1) ?? '');
    return new Response(null, { status: 204 });
  }
  return Response.json({ data: server.files, nextId: null, jwt: '' });
};

const real = { fetch: globalThis.fetch, XMLHttpRequest: globalThis.XMLHttpRequest };
beforeEach(() => {
  Object.assign(globalThis, { fetch: fakeFetch, XMLHttpRequest: FakeRequest });
  Object.assign(auth, { access: 'token', exp: Date.now() });
  const older = { id: '01-old', name: 'dawn.jpg', size: 3, file_type: 'image' as const };
  Object.assign(server, { files: [older], fates: [], requestCount: 0, deleted: [] });
});
afterEach(() => {
  Object.assign(globalThis, real);
  Object.assign(auth, { access: null, exp: null });
});

const photo = () => new File(['abc'], 'dawn.jpg', { type: 'image/jpeg' });

const goOnline = () => globalThis.dispatchEvent(new Event('online'));

/** @param onWait called when the upload waits for the connection */
function start(onWait: (stop: AbortController) => void = goOnline) {
  const upload = { file: photo(), access: 'public' as const, webp: false };
  const [created] = imageUploads('bucket', [upload]);
  if (!created) throw new Error('There is no upload.');
  const stop = new AbortController();
  // The event is dispatched only while the upload waits, so that none affects later tests.
  const onPause = () => setTimeout(onWait, 0, stop);
  return { created, result: created.send({ signal: stop.signal, onSent() {}, onPause }) };
}

test('an image whose answer got lost is found, and not sent again', async () => {
  server.fates = ['answer lost'];
  expect((await start().result).id).toBe('02-1');
  expect(server.requestCount).toBe(1);
  expect(server.files).toHaveLength(2);
});

test('one that never arrived is sent again; an older file of its name is not taken for it', async () => {
  server.fates = ['never arrives', 'never arrives', 'answered'];
  expect((await start().result).id).toBe('02-3');
  expect(server.requestCount).toBe(3);
});

test('one that is stopped although it has arrived is removed, and nothing else is', async () => {
  server.fates = ['answer lost'];
  const { created, result } = start((stop) => stop.abort('stopped'));
  expect(await result.catch((reason) => reason)).toBe('stopped');
  await created.undo();
  expect(server.deleted).toEqual(['02-1']);
});
