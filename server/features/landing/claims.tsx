import {
  HOUR,
  IMAGE_MAX_BYTES,
  MIB,
  UPLOAD_LIFE,
  VIDEO_CHUNK_BYTES,
} from '../../contract/limits.ts';
import { REGIONS } from '../../contract/regions.ts';

const regions = Object.values(REGIONS);

/** The nine claims. A figure stands where the product has one; measured speeds come with their bench. */
const CLAIMS = [
  {
    title: 'Global CDN, your main region',
    text: `A global CDN with a selectable main region, one of ${regions.length}: ${regions.join(', ')}.`,
  },
  {
    title: 'Private files',
    text: 'Private files secured with JSON Web Tokens. Without a valid one there is no file.',
  },
  {
    title: 'Image optimization',
    text: `JPEG, PNG, WebP, GIF and SVG up to ${IMAGE_MAX_BYTES / MIB} MiB, delivered as WebP when you ask for it.`,
  },
  {
    title: 'Video optimization',
    text: 'Video optimization for HLS playback, with up to five suggested resolutions from 1080p to 240p.',
  },
  {
    title: 'Scaling network',
    text: 'It starts as one process with SQLite, and moves onto PostgreSQL once it has grown.',
  },
  {
    title: 'Protected bandwidth',
    text: 'Private files protect bandwidth: what nobody may open, nobody can make you pay for.',
  },
  {
    title: 'Low latency worldwide',
    text: 'Files never change under their URL, so every cache on the way may keep them.',
  },
  {
    title: 'Thousands of concurrent users',
    text: 'Files stream from disk to network; a request holds no copy of them in memory.',
  },
  {
    title: 'Resumable uploads',
    text: `Multipart uploads in parts of ${VIDEO_CHUNK_BYTES / MIB} MiB, resumable for up to ${UPLOAD_LIFE / HOUR} hours.`,
  },
];

export function Claims() {
  return (
    <section aria-labelledby="claims" className="border-t border-base-300 py-16">
      <h2 id="claims" className="sr-only">
        What it does
      </h2>
      <ul className="grid gap-x-12 gap-y-10 sm:grid-cols-2 lg:grid-cols-3">
        {CLAIMS.map(({ title, text }) => (
          <li key={title}>
            <h3 className="font-semibold">{title}</h3>
            <p className="mt-1.5 text-pretty text-quiet">{text}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}
