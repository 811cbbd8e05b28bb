import { describe, expect, spyOn, test } from 'bun:test';
import { connect } from 'node:net';
import { KIB, SECOND } from '../../../server/contract/limits.ts';
import { resetPassword } from '../../../server/features/accounts/service.ts';
import { FILE_EVENTS } from '../../../server/features/files/service.ts';
import { signUp, type TestUser } from '../../support/client/api.ts';
import { until } from '../../support/client/wait.ts';
import {
  sharedServerInProcess,
  startServerInProcess,
} from '../../support/server/in-process-server.ts';

let now = Date.now();
const server = await sharedServerInProcess({}, { clock: () => now });

async function open(user: TestUser) {
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/ws?user_id=${user.userId}`, {
    headers: { cookie: user.client.cookies(), origin: server.url },
  } as never);
  const events: { file_id: string }[] = [];
  socket.onmessage = ({ data }) => events.push(JSON.parse(data));
  const closed = new Promise<number>((resolve) => {
    socket.onclose = ({ code }) => resolve(code);
  });
  await new Promise((resolve) => {
    socket.onopen = resolve;
  });
  return { socket, heard: events, closed };
}

/** Sends a message in pieces that is never finished, and returns what becomes of the connection. */
function closeAfterPieces(user: TestUser): Promise<'closed'> {
  const { hostname, port, host } = new URL(server.url);
  const [TEXT, CONTINUATION] = [0x01, 0x00];
  const mask = Buffer.alloc(4);
  const piece = (opcode: number) =>
    Buffer.concat([
      Buffer.from([opcode, 0x80 | 126, 600 >> 8, 600 & 0xff]),
      mask,
      Buffer.alloc(600),
    ]);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(
        `GET /ws?user_id=${user.userId} HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${server.url}\r\nCookie: ${user.client.cookies()}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n`,
      );
    });
    socket.once('data', () => {
      socket.write(piece(TEXT));
      socket.write(piece(CONTINUATION));
    });
    socket.on('close', () => resolve('closed'));
  });
}

const publish = ({ userId }: TestUser, fileId: string) =>
  server.services.events.publish(FILE_EVENTS, {
    userId,
    event: {
      type: 'file.progress',
      file_id: fileId,
      bucket_id: 'b',
      status: 'processing',
      progress: 1,
    },
  });

test('a session that was ended by a command hears of nothing once that is some seconds ago', async () => {
  const user = await signUp(server);
  const { heard: events, closed } = await open(user);
  await publish(user, 'before');
  await until(async () => events.length === 1);
  const { database } = server.services;
  // With SQLite a command is another process, whose events do not reach the server.
  const command = { database, clock: () => now, publishSessionEnd: async () => {} };
  await resetPassword(command, user.email, 'another harbour');
  now += 6 * SECOND;
  await publish(user, 'after');
  await publish(user, 'later');
  expect(await closed).toBe(4401);
  expect(events.map(({ file_id }) => file_id)).toEqual(['before']);
});

test('news comes in order, though the session is looked at in between', async () => {
  const user = await signUp(server);
  const { socket, heard: events } = await open(user);
  const all = Array.from({ length: 20 }, (_, index) => String(index));
  for (const fileId of all) {
    now += 2 * SECOND;
    await publish(user, fileId);
  }
  await until(async () => events.length === all.length);
  expect(events.map(({ file_id }) => file_id)).toEqual(all);
  socket.close();
});

test('who opens sockets without end closes their own oldest, and nobody else’s', async () => {
  const [user, other] = [await signUp(server), await signUp(server)];
  const theirs = await open(other);
  const first = await open(user);
  const more = await Promise.all(Array.from({ length: 100 }, () => open(user)));
  expect(await first.closed).toBe(1012);
  expect(theirs.socket.readyState).toBe(WebSocket.OPEN);
  for (const { socket } of [theirs, ...more]) socket.close();
});

test('a page that sends more than a kibibyte is closed, also in pieces', async () => {
  const user = await signUp(server);
  const { socket, closed } = await open(user);
  socket.send('x'.repeat(KIB + 1));
  expect(await closed).toBe(1009);
  expect(await closeAfterPieces(user)).toBe('closed');
});

test('a connection through which nothing passes is pinged before a proxy closes it', async () => {
  const serve = spyOn(Bun, 'serve');
  const started = await startServerInProcess();
  const [options] = serve.mock.calls.at(-1) ?? [];
  serve.mockRestore();
  await started.stop();
  expect(options).toMatchObject({
    websocket: { idleTimeout: 40, sendPings: true, maxPayloadLength: KIB },
  });
});

test('a request that is no WebSocket is told to upgrade', async () => {
  const { origin } = new URL(server.url);
  for (const path of ['/ws', '/ws?user_id=x', '/ws/']) {
    const response = await fetch(`${server.url}${path}`, { headers: { origin } });
    expect([path, response.status, response.headers.get('upgrade')]).toEqual([
      path,
      426,
      'websocket',
    ]);
    expect(response.headers.get('x-error-code')).toBe('upgrade-required');
  }
});

describe('the socket', () => {
  const dial = (path: string, headers: Record<string, string>) =>
    new Promise<string>((resolve) => {
      const socket = new WebSocket(`${server.url.replace('http', 'ws')}${path}`, {
        headers,
      } as never);
      socket.onopen = () => {
        socket.close();
        resolve('open');
      };
      socket.onerror = () => resolve('refused');
    });

  test('opens for the user of the page cookie, from our own pages only', async () => {
    const user = await signUp(server);
    const cookie = user.client.cookies();
    const mine = `/ws?user_id=${user.userId}`;
    const other = await signUp(server);
    expect(await dial(mine, { cookie, origin: server.url })).toBe('open');
    expect(await dial(mine, { cookie, origin: 'https://elsewhere.example' })).toBe('refused');
    expect(await dial(mine, { cookie })).toBe('refused');
    expect(await dial(mine, { origin: server.url })).toBe('refused');
    expect(await dial(`/ws?user_id=${other.userId}`, { cookie, origin: server.url })).toBe(
      'refused',
    );
    expect(await dial('/ws', { cookie, origin: server.url })).toBe('refused');
    // A server behind TLS that was not told its address has only the Host to go by.
    const elsewhere = { cookie, origin: 'https://files.example' };
    expect(await dial(mine, { ...elsewhere, host: 'files.example' })).toBe('open');
    expect(await dial(mine, { ...elsewhere, host: 'files.example:81' })).toBe('refused');
  });
});

test('the socket is closed when its session ends, and not when another one does', async () => {
  const me = await signUp(server);
  const other = await signUp(server);
  const { socket, closed } = await open(me);
  await other.client.post('/users/logout', {}, other.authorization);
  await Bun.sleep(100);
  expect(socket.readyState).toBe(WebSocket.OPEN);
  await me.client.post('/users/logout', {}, me.authorization);
  expect(await closed).toBe(4401);
});
