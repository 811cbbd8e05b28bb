import { describe, expect, test } from 'bun:test';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { MIB } from '../../../server/contract/limits.ts';
import { callsOf, type ReferenceCall } from '../../support/client/reference.ts';
import { groupBucket } from '../../support/server/group-server.ts';

const { server, user, bucket } = await groupBucket();

/** These read their body as a stream. All others must refuse a large one before it is in memory. */
const STREAMED = [
  'PATCH /files/tus/{bucketID}/{uploadID}',
  'POST /files/resolution/video/{bucketID}',
  'POST /files/tus/{bucketID}',
  'POST /files/upload/file/{bucketID}',
  'POST /files/upload/image/{bucketID}',
  'POST /files/upload/video/{bucketID}',
];

const calls = (await callsOf(server.url)).filter(({ name }) => !STREAMED.includes(name));
const pathOf = ({ path }: ReferenceCall) =>
  path.replace(/\{(\w+)\}/g, (_, name) => (name === 'bucketID' ? bucket.id : '01'.repeat(13)));

/** Sends the head of a request with the start of its body, and returns the status of the response. */
async function statusOf(call: ReferenceCall, header: string, body: string): Promise<number> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  const head = [
    `${call.method} ${pathOf(call)} HTTP/1.1`,
    'host: 127.0.0.1',
    'connection: close',
    'content-type: application/json',
    `authorization: ${user.authorization.authorization}`,
    header,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  return Number((await text(socket)).split(' ')[1]);
}

/** Sends a body of unknown length, as one chunk. */
const statusOfChunk = (call: ReferenceCall, body: string) =>
  statusOf(
    call,
    'transfer-encoding: chunked',
    `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
  );

describe('a call that does not stream its body', () => {
  for (const call of calls) {
    test(`${call.name} refuses one of more than a MiB`, async () => {
      const large = JSON.stringify('x'.repeat(MIB));
      expect(await statusOf(call, `content-length: ${large.length}`, large)).toBe(413);
      if (!call.body) return;
      // Its length shows while it is read, which is after the call itself has been refused.
      expect(await statusOfChunk(call, large)).toBeOneOf([403, 413, 422]);
    });
  }
});

test('a call takes JSON of unknown length', async () => {
  const create = calls.find(({ name }) => name === 'POST /buckets/');
  if (!create) throw new Error('There is no such call.');
  expect(await statusOfChunk(create, JSON.stringify({ name: 'From .NET' }))).toBe(201);
  expect(await statusOfChunk(create, '{"name":')).toBe(400);
});

test('a call takes a form of unknown length', async () => {
  const form =
    '--b\r\nContent-Disposition: form-data; name="subject"\r\n\r\ndelete-account\r\n--b--\r\n';
  const response = await fetch(`${server.url}/users/email`, {
    method: 'POST',
    headers: { ...user.authorization, 'content-type': 'multipart/form-data; boundary=b' },
    body: new Blob([form]).stream(),
  });
  expect([response.status, await response.text()]).toEqual([204, '']);
});
