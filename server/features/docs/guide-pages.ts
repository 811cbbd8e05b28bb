export type GuidePage = {
  /** The name of the file in docs/guide, and of the page below /docs. */
  slug: string;
  /** The heading of the page. */
  title: string;
  /** One sentence about the content of the page. */
  summary: string;
  load: () => Promise<{ default: string }>;
};

/** The pages of the guide by what a reader wants to do, in reading order. */
export const GUIDE_GROUPS: { title: string; pages: GuidePage[] }[] = [
  {
    title: 'Start',
    pages: [
      {
        slug: 'quick-start',
        title: 'Quick start',
        summary: 'Install Wharf, upload an image and open its URL.',
        load: () => import('../../../docs/guide/quick-start.md', { with: { type: 'text' } }),
      },
      {
        slug: 'uploading',
        title: 'Choose an upload method',
        summary: 'Upload with curl, tus or Uppy, from a server or a browser.',
        load: () => import('../../../docs/guide/uploading.md', { with: { type: 'text' } }),
      },
      {
        slug: 'video-in-chunks',
        title: 'Upload a video in chunks',
        summary:
          'Detect a video’s resolution, upload it in chunks and resume after an interruption.',
        load: () => import('../../../docs/guide/video-in-chunks.md', { with: { type: 'text' } }),
      },
      {
        slug: 'tokens',
        title: 'API keys and tokens',
        summary: 'Use the API key, create read and write tokens, and revoke them.',
        load: () => import('../../../docs/guide/tokens.md', { with: { type: 'text' } }),
      },
    ],
  },
  {
    title: 'Deliver',
    pages: [
      {
        slug: 'private-files',
        title: 'Private files',
        summary: 'Share private files with signed URLs that expire.',
        load: () => import('../../../docs/guide/private-files.md', { with: { type: 'text' } }),
      },
      {
        slug: 'transforms',
        title: 'Resize and convert images',
        summary: 'Resize, crop and convert images with URL parameters.',
        load: () => import('../../../docs/guide/transforms.md', { with: { type: 'text' } }),
      },
      {
        slug: 'video-and-player',
        title: 'HLS and the player',
        summary: 'How videos are transcoded to HLS, and how to embed the player.',
        load: () => import('../../../docs/guide/video-and-player.md', { with: { type: 'text' } }),
      },
      {
        slug: 'static-sites',
        title: 'Static sites',
        summary: 'Publish a folder of HTML, CSS and images from a bucket.',
        load: () => import('../../../docs/guide/static-sites.md', { with: { type: 'text' } }),
      },
      {
        slug: 'webhooks',
        title: 'Webhooks',
        summary: 'Get notified when a file is ready, and verify the signature.',
        load: () => import('../../../docs/guide/webhooks.md', { with: { type: 'text' } }),
      },
    ],
  },
  {
    title: 'Run',
    pages: [
      {
        slug: 'self-hosting',
        title: 'Self-hosting',
        summary: 'Run your own server: requirements, settings, limits and health checks.',
        load: () => import('../../../docs/guide/self-hosting.md', { with: { type: 'text' } }),
      },
      {
        slug: 'settings',
        title: 'Settings and commands',
        summary: 'Every setting of the server, and the commands of the program.',
        load: () => import('../../../docs/guide/settings.md', { with: { type: 'text' } }),
      },
      {
        slug: 'deployment',
        title: 'Proxies, services and containers',
        summary: 'Run a server behind a proxy with TLS, with systemd or in Docker.',
        load: () => import('../../../docs/guide/deployment.md', { with: { type: 'text' } }),
      },
      {
        slug: 'running-it',
        title: 'Operations',
        summary: 'The admin area, logs, health checks and metrics.',
        load: () => import('../../../docs/guide/running-it.md', { with: { type: 'text' } }),
      },
      {
        slug: 'backup-and-restore',
        title: 'Backup and restore',
        summary: 'Back up a running server, and restore it.',
        load: () => import('../../../docs/guide/backup-and-restore.md', { with: { type: 'text' } }),
      },
      {
        slug: 'upgrades',
        title: 'Upgrades',
        summary: 'Upgrade to a new version, or roll back.',
        load: () => import('../../../docs/guide/upgrades.md', { with: { type: 'text' } }),
      },
      {
        slug: 'taking-money',
        title: 'Taking money',
        summary: 'Take a first payment in test mode, then go live.',
        load: () => import('../../../docs/guide/taking-money.md', { with: { type: 'text' } }),
      },
      {
        slug: 'billing',
        title: 'Billing',
        summary: 'Charge for usage by card with Stripe or by crypto with Cryptomus.',
        load: () => import('../../../docs/guide/billing.md', { with: { type: 'text' } }),
      },
    ],
  },
  {
    title: 'Grow',
    pages: [
      {
        slug: 'behind-a-cdn',
        title: 'Behind a CDN',
        summary: 'Cache headers, and settings for nginx, Cloudflare and Bunny.',
        load: () => import('../../../docs/guide/behind-a-cdn.md', { with: { type: 'text' } }),
      },
      {
        slug: 'storage',
        title: 'S3 and regions',
        summary:
          'Store files in an S3 bucket, and give regions storage and addresses of their own.',
        load: () => import('../../../docs/guide/storage.md', { with: { type: 'text' } }),
      },
      {
        slug: 's3-clients',
        title: 'S3 clients',
        summary: 'Use aws, boto3, rclone and other S3 clients with your buckets.',
        load: () => import('../../../docs/guide/s3-clients.md', { with: { type: 'text' } }),
      },
      {
        slug: 'moving-from-minio',
        title: 'Moving from MinIO',
        summary: 'Copy your buckets from MinIO or any other S3 server, and back.',
        load: () => import('../../../docs/guide/moving-from-minio.md', { with: { type: 'text' } }),
      },
      {
        slug: 'scaling',
        title: 'Scaling',
        summary: 'Run several processes and machines with PostgreSQL and S3.',
        load: () => import('../../../docs/guide/scaling.md', { with: { type: 'text' } }),
      },
    ],
  },
];

/** All pages of the guide, in reading order. */
export const GUIDE_PAGES: GuidePage[] = GUIDE_GROUPS.flatMap(({ pages }) => pages);
