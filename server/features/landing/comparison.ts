/** A service or program that readers know, with the page that its column is taken from. */
type Peer = { name: string; url: string };

export const PEERS: Peer[] = [
  { name: 'PocketBase', url: 'https://pocketbase.io/docs/files-handling/' },
  { name: 'MinIO', url: 'https://github.com/minio/minio/issues/21714' },
  { name: 'Supabase Storage', url: 'https://supabase.com/docs/guides/storage' },
  { name: 'Bunny', url: 'https://docs.bunny.net/docs/stream' },
  {
    name: 'Cloudinary',
    url: 'https://cloudinary.com/documentation/adaptive_bitrate_streaming',
  },
];

/** When the pages of PEERS were read. */
export const COMPARED_ON = 'November 2026';

/** What is compared: Wharf's cell, then one for each of PEERS. A test compares README.md with this. */
export const COMPARISON: { label: string; cells: string[] }[] = [
  {
    label: 'Runs on your own server',
    cells: [
      'Yes, one program',
      'Yes, one program',
      'Yes, no longer maintained',
      'Yes, several services',
      'No',
      'No',
    ],
  },
  {
    label: 'Licence',
    cells: ['MIT', 'MIT', 'AGPL-3.0', 'Apache-2.0', 'Service', 'Service'],
  },
  {
    label: 'Resize images by URL',
    cells: ['Yes', 'Sizes set in advance', 'No', 'Yes, with imgproxy', 'Yes', 'Yes'],
  },
  {
    label: 'Videos as HLS, with a player',
    cells: ['Yes', 'No', 'No', 'No', 'Yes', 'Yes'],
  },
  {
    label: 'Resumable uploads',
    cells: [
      'tus, chunks, S3 multipart',
      'No',
      'S3 multipart',
      'tus, S3 multipart',
      'tus, for videos',
      'Chunks',
    ],
  },
  {
    label: 'Private files',
    cells: [
      'Signed tokens',
      'File tokens',
      'Presigned URLs',
      'Signed URLs',
      'Signed URLs',
      'Signed URLs',
    ],
  },
  {
    label: 'S3 API for clients',
    cells: ['Yes, policies only to read', 'No', 'Yes', 'Yes', 'In preview, not for videos', 'No'],
  },
  {
    label: 'Its own edge network',
    cells: ['No, any CDN in front', 'No', 'No', 'When hosted', 'Yes', 'Yes'],
  },
  {
    label: 'Database for your app',
    cells: ['No', 'Yes', 'No', 'Yes, PostgreSQL', 'Separate product', 'No'],
  },
];
