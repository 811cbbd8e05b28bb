import { describe, expect, test } from 'bun:test';
import { SECOND } from '../../../server/contract/limits.ts';
import { resetPassword } from '../../../server/features/accounts/service.ts';
import { FILE_EVENTS } from '../../../server/features/files/service.ts';
import { signUp, type TestUser } from '../../support/client/api.ts';
import { until } from '../../support/client/wait.ts';
import { sharedServerInProcess } from '../../support/server/in-process-server.ts';

let now = Date.now();
const server = await sharedServerInProcess({}, { clock: () => now });

async function open(user: TestUser) {
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/ws?user_id=${user.userId}`, {
    headers: { cookie: user.client.cookies(), origin: server.url },
  } as never);
  const events: { fileId: string }[] = [];
  socket.onmessage = ({ data }) => events.push(JSON.parse(data));
  const closed = new Promise<number>((resolve) => {
    socket.onclose = ({ code }) => resolve(code);
  });
  await new Promise((resolve) => {
    socket.onopen = resolve;
  });
  return { socket, heard: events, closed };
}

const publish = ({ userId }: TestUser, fileId: string) =>
  server.services.events.publish(FILE_EVENTS, {
    userId,
    event: { type: 'file.progress', fileId, bucketId: 'b', status: 'processing', progress: 1 },
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
  expect(events.map(({ fileId }) => fileId)).toEqual(['before']);
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
  expect(events.map(({ fileId }) => fileId)).toEqual(all);
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
