import Play from 'lucide-react/icons/play';
import { MINUTE, SECOND } from '../../contract/limits.ts';
import { formatBytes } from '../../contract/units.ts';
import { CLIP, CLIP_PAGE, clipSize, clipUrl } from '../../web/assets/clip.ts';
import { ClipPoints } from './clip-points.tsx';
import { Section } from './section.tsx';

const SECONDS = CLIP.duration / SECOND;
const LENGTH = `${Math.floor(CLIP.duration / MINUTE)}:${String(SECONDS % 60).padStart(2, '0')}`;

/**
 * A clip in our own player, in a frame that islands/landing makes when somebody asks for it. Until
 * then, and without script, it is a picture that leads to the player's page.
 */
export function Clip() {
  return (
    <Section
      id="clip"
      title="How a video plays"
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
