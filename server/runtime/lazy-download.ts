import type { Config } from '../config/config.ts';
import { memoizeAsync } from '../contract/memoize.ts';
import type { OpenDownload } from '../platform/outbound/download.ts';
import { systemResolve } from '../platform/outbound/ssrf-policy.ts';

/** Returns what downloads the files of other servers, whose libraries are loaded with the first download. */
export function lazyDownload({
  webhookAllowPrivate: allowPrivate,
}: Pick<Config, 'webhookAllowPrivate'>): OpenDownload {
  const load = memoizeAsync(async () => {
    const { createDownload } = await import('../platform/outbound/download.ts');
    return createDownload({ allowPrivate, resolve: systemResolve });
  });
  return async (...download) => (await load())(...download);
}
