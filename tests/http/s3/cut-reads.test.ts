import { describe, expect, test } from 'bun:test';
import { truncate } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { MIB } from '../../../server/contract/limits.ts';
import { createS3Key, s3Client } from '../../support/client/s3.ts';
import { groupBucketInProcess } from '../../support/server/group-server.ts';
import { storedObjects } from '../../support/server/stored-objects.ts';
import { isOnS3 } from '../../support/server/test-engine.ts';

const { server, user, bucket } = await groupBucketInProcess({ S3_PORT: '0' });
const s3 = s3Client(server, await createS3Key(user));
const Bucket = bucket.id;
/** More than the buffers of a connection take while nobody reads. */
const BYTES = 32 * MIB;
const LEFT = MIB;

/** Stores a public object, and returns the path of the file that it is stored in. */
async function store(Key: string): Promise<string> {
  const known = new Set(await storedObjects(server));
  const Body = Buffer.alloc(BYTES, Key);
  await s3.send(new PutObjectCommand({ Bucket, Key, Body, ACL: 'public-read' }));
  const [key = ''] = (await storedObjects(server)).filter((one) => !known.has(one));
  return join(server.dataDir, 'storage/objects', key);
}

const portUrl = () => server.config.s3?.url ?? '';
const addresses = [
  ['the own port', portUrl],
  ['the path of the app', () => `${server.url}/s3`],
] as const;

// The file of an object is cut off, which is on this machine with a disk only.
describe.skipIf(isOnS3)('of a damaged object', () => {
  test('a read that fails half-way cuts the connection, and sends nothing in place of the rest', async () => {
    const path = await store('cut');
    const { hostname, port, pathname, host } = new URL(`${portUrl()}/${Bucket}/cut`);
    const socket = connect(Number(port), hostname);
    socket.write(`GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    socket.on('error', () => {});
    const pieces: Buffer[] = [];
    // The connection stays open for further requests, unless the server ends it.
    for await (const piece of socket) {
      if (pieces.length === 0) await truncate(path, LEFT);
      pieces.push(piece);
    }
    const bytes = Buffer.concat(pieces);
    const head = bytes.toString('latin1', 0, bytes.indexOf('\r\n\r\n') + 4);
    expect(head).toStartWith('HTTP/1.1 200');
    expect(head.toLowerCase()).toContain(`content-length: ${BYTES}\r\n`);
    const body = bytes.subarray(head.length);
    expect(body.length).toBeLessThan(BYTES);
    expect(body.equals(Buffer.alloc(BYTES, 'cut').subarray(0, body.length))).toBe(true);
  });

  test.each(addresses)(
    'at %s a lost end is an error, and makes no shorter object',
    async (name, url) => {
      const path = await store(`${name} lost`);
      await truncate(path, LEFT);
      for (const headers of [{}, { range: 'bytes=0-9' }] as Record<string, string>[]) {
        const response = await fetch(`${url()}/${Bucket}/${name} lost`, { headers });
        expect(response.status).toBe(500);
        expect(await response.text()).toContain('<Code>InternalError</Code>');
      }
    },
  );
});
