import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { MIB } from '../../../server/contract/limits.ts';
import { createBucket, signUp, type TestUser } from '../../support/client/api.ts';
import { createS3Key, s3Client } from '../../support/client/s3.ts';
import { signedFetch } from '../../support/client/signed-fetch.ts';
import { freePort } from '../../support/server/free-port.ts';
import {
  type InProcessServer,
  startServerInProcess,
} from '../../support/server/in-process-server.ts';
import { nginxPath, startNginx } from '../../support/services/nginx.ts';

/** What each proxy does, by its name. */
const PROXIES = {
  right: 'location / { proxy_pass ORIGIN; proxy_set_header Host $http_host; }',
  multiplexes: 'location / { proxy_pass ORIGIN; proxy_set_header Host $http_host; }',
  rewrites: `location / {
    proxy_pass ORIGIN; proxy_set_header Host $http_host; proxy_set_header Accept-Encoding "gzip, br";
  }`,
  hostless: 'location / { proxy_pass ORIGIN; }',
  forwards: 'location / { proxy_pass ORIGIN; proxy_set_header X-Forwarded-Host $http_host; }',
  cuts: 'location /s3/ { proxy_pass ORIGIN/; proxy_set_header Host $http_host; }',
  removes: `location / {
    proxy_pass ORIGIN; proxy_set_header Host $http_host; proxy_set_header Range "";
  }`,
} as const;
type Name = keyof typeof PROXIES;

describe.skipIf(!nginxPath)('behind nginx, the S3 API', () => {
  let server: InProcessServer;
  let user: TestUser;
  let Bucket: string;
  let key: Awaited<ReturnType<typeof createS3Key>>;
  let nginx: Awaited<ReturnType<typeof startNginx>>;
  let folder: string;
  const urls = {} as Record<Name, string>;

  beforeAll(async () => {
    for (const name of Object.keys(PROXIES) as Name[]) {
      urls[name] = `http://127.0.0.1:${await freePort()}`;
    }
    server = await startServerInProcess({ S3_PORT: '0', S3_URL: urls.right });
    const origin = `http://127.0.0.1:${server.config.s3?.port}`;
    folder = await mkdtemp(join(tmpdir(), 'wharf-s3-nginx-'));
    const blocks = Object.entries(PROXIES).map(
      ([name, location]) => `server {
  listen ${new URL(urls[name as Name]).host}${name === 'multiplexes' ? ' http2' : ''};
  client_max_body_size 0;
  proxy_request_buffering off;
  proxy_http_version 1.1;
  ${location.replaceAll('ORIGIN', origin)}
}`,
    );
    nginx = await startNginx(folder, `access_log off;\n${blocks.join('\n')}`, urls.right);
    user = await signUp(server);
    Bucket = (await createBucket(server, user.token)).id;
    key = await createS3Key(user);
  });
  afterAll(async () => {
    nginx?.kill();
    await nginx?.exited;
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const clientAt = (name: Name, path = '') =>
    s3Client(server, key, { endpoint: urls[name] + path });
  const errorOf = async (work: Promise<unknown>) =>
    work.then(
      () => 'no error',
      (error: Error) => `${error.name}: ${error.message}`,
    );

  test('stores and reads objects, also large ones and by presigned URLs', async () => {
    const s3 = clientAt('right');
    const bytes = Buffer.alloc(6 * MIB, 'harbour');
    const object = { Bucket, Key: 'a b/ü+%.bin' };
    await s3.send(new PutObjectCommand({ ...object, Body: bytes }));
    const got = await s3.send(new GetObjectCommand(object));
    expect(Buffer.from((await got.Body?.transformToByteArray()) ?? []).equals(bytes)).toBe(true);
    const presigned = await getSignedUrl(s3, new GetObjectCommand(object));
    expect((await fetch(presigned)).status).toBe(200);
  });

  test('takes the host of HTTP/2, which is no header', async () => {
    const object = { Bucket, Key: 'h2' };
    await clientAt('right').send(new PutObjectCommand({ ...object, Body: 'by stream' }));
    const presigned = await getSignedUrl(clientAt('multiplexes'), new GetObjectCommand(object));
    const curl = Bun.spawn(['curl', '-s', '--http2-prior-knowledge', presigned]);
    expect(await new Response(curl.stdout).text()).toBe('by stream');
  });

  test('takes requests whose accept-encoding was rewritten on the way', async () => {
    const config = { s3: { url: urls.rewrites } };
    const send = signedFetch({ config }, key);
    const headers = { 'accept-encoding': 'identity' };
    expect((await send('GET', `/${Bucket}`, { headers })).status).toBe(200);
    // Another header that a proxy removes is not forgiven.
    const removed = await signedFetch({ config: { s3: { url: urls.removes } } }, key)(
      'GET',
      `/${Bucket}/k`,
      { headers: { range: 'bytes=0-1' } },
    );
    const text = await removed.text();
    expect(removed.status).toBe(403);
    expect(text).toContain('<MissingHeaders>range</MissingHeaders>');
    expect(text).toContain('did not arrive: range');
  });

  test('names the host that arrived where a proxy does not pass it on', async () => {
    const put = new PutObjectCommand({ Bucket, Key: 'k', Body: 'x' });
    const arrived = new URL(`http://127.0.0.1:${server.config.s3?.port}`).host;
    const lost = await errorOf(clientAt('hostless').send(put));
    expect(lost).toContain('SignatureDoesNotMatch');
    expect(lost).toContain(`arrived for the host ${arrived}`);
    expect(lost).toContain(new URL(urls.right).host);
    const told = await errorOf(clientAt('forwards').send(put));
    const signed = new URL(urls.forwards).host;
    expect(told).toContain(`signed the host ${signed}, but the request arrived with ${arrived}`);
    expect(told).toContain('proxy_set_header Host');
  });

  test('names both paths where a proxy cuts one', async () => {
    const put = new PutObjectCommand({ Bucket, Key: 'k', Body: 'x' });
    const error = await errorOf(clientAt('cuts', '/s3').send(put));
    expect(error).toContain(
      `signed the path /s3/${Bucket}/k, but the request arrived with /${Bucket}/k`,
    );
  });
});
