import { join } from 'node:path';
import { plainMetadata } from '../../../media/testing/plain-sharp.ts';
import type { Finding } from '../../../server/cli/fsck/finding.ts';
import type { FileWire } from '../../../server/contract/wire.ts';
import { findingsOf } from '../server/findings.ts';
import type { sharedBucketInProcess } from '../server/in-process-server.ts';
import type { TestServer } from '../server/server.ts';
import { uploadFile as uploadTo } from './api.ts';

/** The `accept` headers of browsers. */
export const AVIF = { accept: 'image/avif,image/webp,*/*' };
export const WEBP = { accept: 'image/webp,*/*' };

/** Requests a URL with query parameters. */
export const get = (url: string, query = '', headers: Record<string, string> = {}) =>
  fetch(query ? `${url}?${query}` : url, { headers });

/** Returns the rows of a file's derivatives. */
export const derivativesAt = ({ db }: TestServer, fileId: string) =>
  db
    .selectFrom('derivatives')
    .selectAll()
    .where('file_id', '=', fileId)
    .orderBy('transform')
    .execute();

/** Returns the calls that tests of derivatives make. */
export function transforming({
  server,
  user,
  bucket,
}: Awaited<ReturnType<typeof sharedBucketInProcess>>) {
  /** Waits for a whole round of housekeeping: the first one may have been running already. */
  async function tidy() {
    await server.services.housekeeping.round();
    await server.services.housekeeping.round();
  }

  return {
    tidy,

    /** Uploads an image and waits until it is processed. Throws the reason if it can't be delivered. */
    async upload(
      bytes: Buffer | string,
      { access = 'public', webp = '', name = 'Holiday.jpg', on = server, where = bucket } = {},
    ): Promise<FileWire & { url: string }> {
      const fields = { access, webp };
      const file = await uploadTo(on, where, 'image', fields, Buffer.from(bytes as never), name);
      if (!file.url) throw new Error(`${name}: ${file.error}`);
      return { ...file, url: file.url };
    },

    /** Returns the width, height and format of an image, or of one frame if it is animated. */
    async sizeOf(response: Response): Promise<[number, number, string]> {
      const path = join(server.dataDir, `seen-${crypto.randomUUID()}`);
      await Bun.write(path, await response.arrayBuffer());
      const { width, height, pageHeight, format } = await plainMetadata(path);
      return [width, pageHeight ?? height, format];
    },

    derivatives: (fileId: string) => derivativesAt(server, fileId),

    /** Returns the usage of a bucket in bytes. */
    async usage(where = bucket): Promise<number> {
      const { authorization } = user;
      const response = await fetch(`${server.url}/buckets/${where.id}`, { headers: authorization });
      return ((await response.json()) as { usage: number }).usage;
    },

    setPolicy: (policy: string, where = bucket, as = user) =>
      fetch(`${server.url}/buckets/transforms/${where.id}`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json', ...as.authorization },
        body: JSON.stringify({ policy }),
      }),

    async token(where = bucket, body: unknown = {}, scope = 'read') {
      const path = `/buckets/jwt/${where.id}/0/${scope}`;
      const response = await user.client.post(path, body, user.authorization);
      return ((await response.json()) as { jwt: string }).jwt;
    },

    /** Returns the findings of the audit, such as rows without objects. */
    async disagreements(): Promise<Finding[]> {
      await tidy();
      return findingsOf(server.config);
    },
  };
}
