import { HOUR, MIB, UPLOAD_TTL_MS, VIDEO_CHUNK_BYTES } from '../../contract/limits.ts';
import { REGIONS } from '../../contract/regions.ts';
import { suggestResolutions } from '../../contract/resolutions.ts';

const sizes = suggestResolutions({ width: 1920, height: 1080 }) ?? [];

/** The nine claims, each with the page of the guide that shows what it means here. */
export const CLAIMS = [
  {
    icon: 'globe',
    title: 'Global CDN with a selectable main region',
    text: `${Object.keys(REGIONS).length} regions to choose from for each bucket, and answers that every CDN understands.`,
    page: { path: '/docs/behind-a-cdn', name: 'Behind a CDN' },
  },
  {
    icon: 'lock',
    title: 'Private files secured with JSON Web Tokens',
    text: 'A token opens one file or a whole bucket, for as long as you say. Without one there is no file.',
    page: { path: '/docs/private-files', name: 'Private files' },
  },
  {
    icon: 'image',
    title: 'Image optimization',
    text: 'Any size and shape by parameters on the URL, as AVIF or WebP where the browser takes it, without metadata.',
    page: { path: '/docs/transforms', name: 'Images in any size' },
  },
  {
    icon: 'video',
    title: 'Video optimization for HLS playback',
    text: `Up to ${sizes.length} sizes from 1080p to 240p, a poster, seek previews, and a player for any site.`,
    page: { path: '/docs/video-and-player', name: 'HLS and the player' },
  },
  {
    icon: 'network',
    title: 'Scaling network',
    text: 'It starts as one process with SQLite and a disk. The same program runs on PostgreSQL.',
    page: { path: '/docs/self-hosting', name: 'Self-hosting' },
  },
  {
    icon: 'shield',
    title: 'Private files protect bandwidth',
    text: 'What nobody may open, nobody can make you pay for. Rolling the key ends every token at once.',
    page: { path: '/docs/tokens', name: 'Keys and tokens' },
  },
  {
    icon: 'zap',
    title: 'Low latency worldwide',
    text: 'A file never changes under its URL, so every cache between you and your viewers may keep it.',
    page: { path: '/docs/behind-a-cdn#to-see-that-it-works', name: 'See that it works' },
  },
  {
    icon: 'users',
    title: 'Thousands of concurrent users',
    text: 'Files stream from disk to network, in whole or in ranges: a request holds no copy in memory.',
    page: { path: '/docs/self-hosting#what-it-takes', name: 'What it takes' },
  },
  {
    icon: 'upload',
    title: `Multipart uploads resumable for up to ${UPLOAD_TTL_MS / HOUR} hours`,
    text: `In chunks of ${VIDEO_CHUNK_BYTES / MIB} MiB or by tus. A lost connection goes on where it stopped.`,
    page: { path: '/docs/uploading', name: 'Uploading' },
  },
] as const;
