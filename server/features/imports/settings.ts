import type { S3ImportBody } from '../../contract/schemas/imports.ts';
import type { Access } from '../../contract/wire.ts';
import { invalid } from '../../errors.ts';
import type { RemoteBucketSettings } from '../../platform/storage/remote-bucket.ts';
import { requireFolder } from '../files/service.ts';

/** What an import copies, and where it goes. Prefix and folder are '' or end in '/'. */
export type ImportSettings = {
  remote: RemoteBucketSettings;
  prefix: string;
  folder: string;
  access: Access;
};

const DEFAULT_REGION = 'us-east-1';

/** Returns the settings of an import. Throws invalid. */
export function parseImport(body: typeof S3ImportBody.static): ImportSettings {
  const { region = DEFAULT_REGION, prefix = '', access = 'private' } = body;
  const folder = requireFolder(body.folder ?? '');
  return {
    remote: {
      endpoint: parseEndpoint(body.endpoint.trim(), region),
      region,
      accessKeyId: body.access_key_id,
      secretAccessKey: body.secret_access_key,
      bucket: body.bucket,
    },
    prefix: prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`,
    folder: folder && `${folder}/`,
    access,
  };
}

function parseEndpoint(text: string, region: string): string {
  if (text === '') return `https://s3.${region}.amazonaws.com`;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    throw invalid('endpoint must be an http or https URL, or empty for Amazon S3.');
  }
  if (url.username || url.password) throw invalid("endpoint can't contain a password.");
  if (url.pathname !== '/' || url.search) {
    throw invalid('endpoint must be the URL of the S3 server, without a bucket or a path.');
  }
  return url.origin;
}
