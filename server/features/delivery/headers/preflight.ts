import { SAFETY } from './headers.ts';

/** For players on other sites, which ask before they send a Range. */
export const answerPreflight = () =>
  new Response(null, {
    status: 204,
    headers: {
      ...SAFETY,
      'access-control-allow-methods': 'GET, HEAD',
      'access-control-allow-headers':
        'range, if-range, if-match, if-none-match, if-modified-since, if-unmodified-since',
      'access-control-max-age': '86400',
    },
  });
