import ArrowRight from 'lucide-react/icons/arrow-right';
import FastForward from 'lucide-react/icons/fast-forward';
import GalleryThumbnails from 'lucide-react/icons/gallery-thumbnails';
import Play from 'lucide-react/icons/play';
import Scaling from 'lucide-react/icons/scaling';
import type { ComponentType } from 'react';
import { MINUTE, SECOND } from '../../contract/limits.ts';
import { formatBytes } from '../../contract/units.ts';
import { CLIP, CLIP_PAGE, clipSize, clipUrl } from '../../web/assets/assets.ts';
import { Section } from './section.tsx';

const SECONDS = CLIP.duration / SECOND;
const LENGTH = `${Math.floor(CLIP.duration / MINUTE)}:${String(SECONDS % 60).padStart(2, '0')}`;

/**
 * A clip in our own player. islands/landing creates its frame when a visitor presses play. Before
 * that, and without scripts, it is a picture with a link to the player's page.
 */
export function Clip() {
  return (
    <Section
      id="clip"
      title="Videos that fit every screen and connection"
      text="A day in a harbour, encoded with Wharf like any video you upload."
      isRaised
    >
      <div className="mt-8 grid items-start gap-x-12 gap-y-8 lg:grid-cols-[1.65fr_1fr]">
        <figure className="min-w-0">
          <div className="clip">
            <a href={CLIP_PAGE} data-clip className="clip-link">
              <span className="sr-only">{`Play the clip, ${SECONDS} seconds with sound`}</span>
              <img
                src={clipUrl('poster.webp')}
                width={CLIP.sizes[0]?.width}
                height={CLIP.sizes[0]?.height}
                alt=""
                loading="lazy"
                decoding="async"
              />
              <span className="clip-button">
                <Play size={28} fill="currentColor" aria-hidden />
              </span>
              <span className="clip-length numbers" aria-hidden="true">
                {LENGTH}
              </span>
            </a>
          </div>
          <figcaption className="mt-3 text-sm text-quiet">
            Until you press play, only the poster is loaded:{' '}
            <span className="numbers">{formatBytes(clipSize('poster.webp'))}</span>.
          </figcaption>
        </figure>
        <ClipPoints />
      </div>
    </Section>
  );
}

type Point = {
  Icon: ComponentType<{ size: number; className: string }>;
  title: string;
  text: string;
  /** The bytes of the clip's files that show the point. */
  bytes: [string, number][];
};

const POINTS: Point[] = [
  {
    Icon: Scaling,
    title: 'Adaptive sizes',
    text: 'The player picks the size that fits its frame and the connection, and switches while playing.',
    bytes: [
      ...CLIP.sizes.map(({ height, bytes }): [string, number] => [`${height}p`, bytes]),
      ['Audio', CLIP.sound],
    ],
  },
  {
    Icon: GalleryThumbnails,
    title: 'Preview on the scrubber',
    text: 'Hover over the seek bar to see each moment before you jump to it.',
    bytes: [['All thumbnails', CLIP.previews]],
  },
  {
    Icon: FastForward,
    title: 'Plays early',
    text: 'Viewers can start watching as soon as the first size is encoded. The others are added while it plays.',
    bytes: [],
  },
];

/** The points that the clip shows, with the bytes of its files. */
function ClipPoints() {
  return (
    <div>
      <ul className="divide-y divide-base-300">
        {POINTS.map(({ Icon, title, text, bytes }) => (
          <li key={title} className="grid grid-cols-[auto_1fr] gap-x-4 py-5 first:pt-0">
            <Icon size={20} aria-hidden className="mt-0.5 text-primary" />
            <div>
              <h3 className="font-semibold">{title}</h3>
              <p className="mt-1.5 text-sm text-pretty text-quiet">{text}</p>
              {bytes.length > 0 && <Bytes of={bytes} />}
            </div>
          </li>
        ))}
      </ul>
      <a
        href="/docs/video-and-player"
        className="group flex items-center gap-1.5 border-t border-base-300 pt-5 text-sm font-medium hover:text-primary"
      >
        HLS and the player
        <ArrowRight size={16} aria-hidden />
      </a>
    </div>
  );
}

function Bytes({ of }: { of: [string, number][] }) {
  return (
    <dl className="mt-3 flex flex-wrap gap-x-8 gap-y-2 text-sm">
      {of.map(([name, bytes]) => (
        <div key={name}>
          <dt className="text-quiet">{name}</dt>
          <dd className="numbers font-semibold">{formatBytes(bytes)}</dd>
        </div>
      ))}
    </dl>
  );
}
