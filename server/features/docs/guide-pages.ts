export type GuidePage = {
  /** Of the file in docs/guide, and of the address below /docs. */
  slug: string;
  /** As the text's own heading says it. */
  title: string;
  /** One sentence on what is to be found there. */
  summary: string;
  load: () => Promise<{ default: string }>;
};

/** Every page of the guide, in the order in which they are read. */
export const GUIDE_PAGES: GuidePage[] = [
  {
    slug: 'quick-start',
    title: 'Quick start',
    summary: 'From nothing to a delivered picture, in a few commands.',
    load: () => import('../../../docs/guide/quick-start.md', { with: { type: 'text' } }),
  },
  {
    slug: 'uploading',
    title: 'Uploading',
    summary: 'With curl, tus and Uppy; from a server or straight from a browser.',
    load: () => import('../../../docs/guide/uploading.md', { with: { type: 'text' } }),
  },
  {
    slug: 'video-in-chunks',
    title: 'Video in chunks',
    summary: 'Ask for a video’s size, send it in parts, and go on where it stopped.',
    load: () => import('../../../docs/guide/video-in-chunks.md', { with: { type: 'text' } }),
  },
  {
    slug: 'tokens',
    title: 'Keys and tokens',
    summary: 'The API key, read and write tokens, tokens for one file, and how all of them die.',
    load: () => import('../../../docs/guide/tokens.md', { with: { type: 'text' } }),
  },
  {
    slug: 'private-files',
    title: 'Private files',
    summary: 'Links that open for those you gave them to, until when you say.',
    load: () => import('../../../docs/guide/private-files.md', { with: { type: 'text' } }),
  },
  {
    slug: 'transforms',
    title: 'Images in any size',
    summary: 'The size, shape and format that a page needs, by parameters in the URL.',
    load: () => import('../../../docs/guide/transforms.md', { with: { type: 'text' } }),
  },
  {
    slug: 'video-and-player',
    title: 'HLS and the player',
    summary: 'What becomes of a video, and how it is played on any page.',
    load: () => import('../../../docs/guide/video-and-player.md', { with: { type: 'text' } }),
  },
  {
    slug: 'webhooks',
    title: 'Webhooks',
    summary: 'Be told when a file is ready, and know that it was Wharf who told you.',
    load: () => import('../../../docs/guide/webhooks.md', { with: { type: 'text' } }),
  },
  {
    slug: 'self-hosting',
    title: 'Self-hosting',
    summary: 'A server of your own: settings, TLS, systemd, Docker, backups.',
    load: () => import('../../../docs/guide/self-hosting.md', { with: { type: 'text' } }),
  },
  {
    slug: 'billing',
    title: 'Billing',
    summary: 'Let people pay for what they use, by card with Stripe or by crypto with Cryptomus.',
    load: () => import('../../../docs/guide/billing.md', { with: { type: 'text' } }),
  },
  {
    slug: 'running-it',
    title: 'Running it',
    summary: 'The admin’s pages, what is logged, and what can be watched from outside.',
    load: () => import('../../../docs/guide/running-it.md', { with: { type: 'text' } }),
  },
  {
    slug: 'behind-a-cdn',
    title: 'Behind a CDN',
    summary: 'Which headers shared caches go by, and how nginx, Cloudflare and Bunny are set.',
    load: () => import('../../../docs/guide/behind-a-cdn.md', { with: { type: 'text' } }),
  },
  {
    slug: 'backup-and-restore',
    title: 'Backup and restore',
    summary: 'A copy of everything, made while the server runs, and the way back.',
    load: () => import('../../../docs/guide/backup-and-restore.md', { with: { type: 'text' } }),
  },
  {
    slug: 'upgrades',
    title: 'Upgrades',
    summary: 'From one version to the next, and back.',
    load: () => import('../../../docs/guide/upgrades.md', { with: { type: 'text' } }),
  },
  {
    slug: 'scaling',
    title: 'Growing',
    summary: 'Several processes and machines over one PostgreSQL, and files in an S3 bucket.',
    load: () => import('../../../docs/guide/scaling.md', { with: { type: 'text' } }),
  },
];
