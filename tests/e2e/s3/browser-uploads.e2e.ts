import {
  GetObjectCommand,
  ListObjectsV2Command,
  PutBucketCorsCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { CreatedS3KeyWire } from '../../../server/contract/wire.ts';
import { createBucket } from '../../support/client/api.ts';
import { presignPost } from '../../support/client/presigned-post.ts';
import { freePort } from '../../support/server/free-port.ts';
import type { ServerProcess } from '../../support/server/server-process.ts';
import { expect, test } from '../fixtures.ts';
import { startOtherSite } from '../support/other-site.ts';
import { startSession } from '../support/people.ts';

const S3_PORT = String(await freePort());
const S3_URL = `http://127.0.0.1:${S3_PORT}`;
test.use({ serverEnv: [{ S3_PORT }, { scope: 'worker' }] });

/** Returns a bucket with a key for it. */
async function openBucket(session: { token: string }, server: ServerProcess, secrets: Set<string>) {
  const { id: Bucket } = await createBucket(server, session.token, 'Uploads');
  const response = await fetch(`${server.url}/s3-keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${session.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ access: 'both' }),
  });
  const key = (await response.json()) as CreatedS3KeyWire;
  secrets.add(key.secret_access_key);
  const s3 = new S3Client({
    ...{ endpoint: S3_URL, region: 'us-east-1', forcePathStyle: true },
    ...{ requestChecksumCalculation: 'WHEN_REQUIRED' as const },
    credentials: { accessKeyId: key.access_key_id, secretAccessKey: key.secret_access_key },
  });
  return { Bucket, key, s3 };
}

test.describe('a page of another site', () => {
  // The viewer of the document that answers a form has scripts, which our policy blocks.
  test.use({ expectedComplaints: /Blocked script execution/ });

  test('uploads by a presigned URL and by a form, and reads the answers', async ({
    page,
    server,
    secrets,
  }) => {
    const session = await startSession(page, server);
    const { Bucket, key, s3 } = await openBucket(session, server, secrets);
    const site = await startOtherSite(() => '<form method="post"><input type="file"></form>');
    try {
      await page.goto(site.url);
      const command = new PutObjectCommand({
        Bucket,
        Key: 'by-url.txt',
        ContentType: 'text/plain',
      });
      const put = await page.evaluate(
        async (url) => {
          const headers = { 'content-type': 'text/plain' };
          const response = await fetch(url, { method: 'PUT', body: 'from Chromium', headers });
          return { status: response.status, etag: response.headers.get('etag') };
        },
        await getSignedUrl(s3, command),
      );
      expect(put).toEqual({ status: 200, etag: expect.stringMatching(/^"[0-9a-f]{32}"$/) });

      const fields = presignPost(
        { key: 'by-script.txt', success_action_status: '201' },
        { key, bucket: Bucket },
      );
      const posted = await page.evaluate(
        async ({ url, fields }) => {
          const form = new FormData();
          for (const [name, value] of Object.entries(fields)) form.append(name, value);
          form.append('file', new File(['by a script'], 'a.txt'));
          const response = await fetch(url, { method: 'POST', body: form });
          return { status: response.status, text: await response.text() };
        },
        { url: `${S3_URL}/${Bucket}`, fields },
      );
      expect(posted).toEqual({ status: 201, text: expect.stringContaining('by-script.txt') });

      const filled = presignPost(
        // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the variable of forms
        { key: 'by-form/${filename}', success_action_status: '201' },
        { key, bucket: Bucket, conditions: [['starts-with', '$key', 'by-form/']] },
      );
      await page.evaluate(
        ({ url, fields }) => {
          const [form] = document.forms;
          if (!form) return;
          Object.assign(form, { action: url, enctype: 'multipart/form-data' });
          for (const [name, value] of Object.entries(fields)) {
            form.prepend(Object.assign(document.createElement('input'), { name, value }));
          }
          form.querySelector('[type=file]')?.setAttribute('name', 'file');
        },
        { url: `${S3_URL}/${Bucket}`, fields: filled },
      );
      const file = { name: 'grüße 1.txt', mimeType: 'text/plain', buffer: Buffer.from('by hand') };
      await page.locator('[type=file]').setInputFiles(file);
      const answered = page.waitForResponse((response) => response.request().method() === 'POST');
      await page.evaluate(() => document.forms[0]?.submit());
      expect((await answered).status()).toBe(201);

      const read = async (Key: string) =>
        (await s3.send(new GetObjectCommand({ Bucket, Key }))).Body?.transformToString();
      expect(await read('by-url.txt')).toBe('from Chromium');
      expect(await read('by-script.txt')).toBe('by a script');
      expect(await read('by-form/grüße 1.txt')).toBe('by hand');
    } finally {
      site.close();
    }
  });

  test.describe('that the bucket does not name', () => {
    // The browser says why it does not send the request.
    test.use({ expectedComplaints: /CORS|ERR_FAILED/ });

    test('uploads nothing, and one that it names does', async ({ page, server, secrets }) => {
      const session = await startSession(page, server);
      const { Bucket, s3 } = await openBucket(session, server, secrets);
      const site = await startOtherSite(() => '');
      const allow = (origin: string) =>
        s3.send(
          new PutBucketCorsCommand({
            Bucket,
            CORSConfiguration: {
              CORSRules: [
                {
                  ...{ AllowedOrigins: [origin], AllowedMethods: ['PUT'] },
                  ...{ AllowedHeaders: ['*'], ExposeHeaders: ['ETag'] },
                },
              ],
            },
          }),
        );
      try {
        await page.goto(site.url);
        const url = await getSignedUrl(s3, new PutObjectCommand({ Bucket, Key: 'a' }));
        const upload = () =>
          page.evaluate(
            (url) =>
              fetch(url, { method: 'PUT', body: 'x' }).then(
                ({ headers }) => headers.get('etag') !== null,
                () => 'not sent',
              ),
            url,
          );
        await allow('https://*.example');
        expect(await upload()).toBe('not sent');
        expect((await s3.send(new ListObjectsV2Command({ Bucket }))).KeyCount).toBe(0);
        await allow('http://localhost:*');
        expect(await upload()).toBe(true);
        expect((await s3.send(new ListObjectsV2Command({ Bucket }))).KeyCount).toBe(1);
      } finally {
        site.close();
      }
    });
  });
});
