import ArrowRight from 'lucide-react/icons/arrow-right';
import Clapperboard from 'lucide-react/icons/clapperboard';
import CloudUpload from 'lucide-react/icons/cloud-upload';
import Globe from 'lucide-react/icons/globe';
import ImageDown from 'lucide-react/icons/image-down';
import LockKeyhole from 'lucide-react/icons/lock-keyhole';
import Network from 'lucide-react/icons/network';
import ShieldCheck from 'lucide-react/icons/shield-check';
import Users from 'lucide-react/icons/users';
import Zap from 'lucide-react/icons/zap';
import { HOUR, MIB, UPLOAD_TTL_MS, VIDEO_CHUNK_BYTES } from '../../contract/limits.ts';
import { suggestResolutions } from '../../contract/resolutions.ts';
import { Section } from './section.tsx';

const ICONS = {
  globe: Globe,
  lock: LockKeyhole,
  image: ImageDown,
  video: Clapperboard,
  network: Network,
  shield: ShieldCheck,
  zap: Zap,
  users: Users,
  upload: CloudUpload,
};

const sizes = suggestResolutions({ width: 1920, height: 1080 }) ?? [];

/** The grid of feature claims. Each links to the page of the guide that explains it. */
export function Claims({ regions }: { regions: number }) {
  return (
    <Section
      id="claims"
      title="From upload to delivery, all in one place"
      text="Everything you need to store and deliver media."
    >
      <ul className="mt-8 grid gap-px overflow-hidden rounded-lg border border-base-300 bg-base-300 sm:grid-cols-2 lg:grid-cols-3">
        {claims(regions).map(({ icon, title, text, page }) => {
          const Icon = ICONS[icon];
          return (
            <li
              key={title}
              className="group relative flex flex-col bg-base-200 p-6 has-[a:hover]:bg-base-100 max-lg:last:sm:col-span-2 max-sm:pl-15"
            >
              <Icon size={20} aria-hidden className="text-primary max-sm:absolute max-sm:left-6" />
              <h3 className="font-semibold text-balance sm:mt-4">{title}</h3>
              <p className="mt-1.5 text-sm text-pretty text-quiet">{text}</p>
              <a
                href={page.path}
                className="mt-auto flex items-center gap-1.5 self-start pt-4 text-sm font-medium after:absolute after:inset-0 group-hover:text-primary"
              >
                {page.name}
                <ArrowRight size={16} aria-hidden />
              </a>
            </li>
          );
        })}
      </ul>
    </Section>
  );
}

/** The nine claims, each with the page of the guide that explains it. */
const claims = (regions: number) => [
  {
    icon: 'globe' as const,
    title: 'Global CDN with a selectable main region',
    text: `${regions === 1 ? 'One region on this server' : `${regions} regions to choose from for each bucket`}, with cache headers that every CDN understands.`,
    page: { path: '/docs/behind-a-cdn', name: 'Behind a CDN' },
  },
  {
    icon: 'lock' as const,
    title: 'Private files secured with JSON Web Tokens',
    text: 'A token gives access to one file or a whole bucket until it expires. Without a token, nobody can open the file.',
    page: { path: '/docs/private-files', name: 'Private files' },
  },
  {
    icon: 'image' as const,
    title: 'Image optimization',
    text: 'Resize and crop with URL parameters. Images are served as AVIF or WebP if the browser supports it, without metadata.',
    page: { path: '/docs/transforms', name: 'Resize and convert images' },
  },
  {
    icon: 'video' as const,
    title: 'Video optimization for HLS playback',
    text: `Up to ${sizes.length} sizes from 1080p to 240p, a poster, seek previews, and a player for any site.`,
    page: { path: '/docs/video-and-player', name: 'HLS and the player' },
  },
  {
    icon: 'network' as const,
    title: 'Scaling network',
    text: 'Start with one process, SQLite and a local disk. Move to PostgreSQL and S3 with the same program.',
    page: { path: '/docs/self-hosting', name: 'Self-hosting' },
  },
  {
    icon: 'shield' as const,
    title: 'Private files protect bandwidth',
    text: 'Unauthorised requests get no file, so you don’t pay for their bandwidth. Regenerate the key to revoke every token.',
    page: { path: '/docs/tokens', name: 'API keys and tokens' },
  },
  {
    icon: 'zap' as const,
    title: 'Low latency worldwide',
    text: 'File URLs never change their content, so every cache between you and your viewers can keep them.',
    page: { path: '/docs/behind-a-cdn#check-that-it-works', name: 'Check that it works' },
  },
  {
    icon: 'users' as const,
    title: 'Thousands of concurrent users',
    text: 'Files and ranges stream from disk to the network without being copied into memory.',
    page: { path: '/docs/self-hosting#requirements', name: 'Requirements' },
  },
  {
    icon: 'upload' as const,
    title: `Multipart uploads resumable for up to ${UPLOAD_TTL_MS / HOUR} hours`,
    text: `Upload in chunks of ${VIDEO_CHUNK_BYTES / MIB} MiB or with tus. Interrupted uploads resume where they stopped.`,
    page: { path: '/docs/uploading', name: 'Choose an upload method' },
  },
];
