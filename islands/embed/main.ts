import { followSizes, QualityList } from './quality-list.ts';
import { openHls, openNative } from './source.ts';

/** hls.js gives the choice of sizes, so it is preferred; without either it has nothing to work with. */
const hasMediaSource = 'MediaSource' in window || 'ManagedMediaSource' in window;

/**
 * Brings the player alive. media-chrome looks for the list of qualities once, when it meets the
 * video, so its elements are loaded after that is there.
 */
async function start(video: HTMLVideoElement) {
  const { url = '', early, play } = video.dataset;
  const qualities = new QualityList();
  const keys = keepKeys();
  if (hasMediaSource) Object.assign(video, { videoRenditions: qualities });
  try {
    const opening = { video, url, qualities, tell };
    const [source, { controlVideo }] = await Promise.all([
      hasMediaSource ? openHls(opening) : openNative(opening),
      import('./controls.ts'),
    ]);
    controlVideo(video, keys);
    if (early !== undefined) followSizes(url, source);
    // A browser that wants to be asked for sound leaves it to the button.
    if (play !== undefined) await video.play().catch(() => {});
  } catch {
    tell('The player could not be loaded. Reload the page to try again.');
  }
}

const video = document.querySelector('video');
if (video) void start(video);

/** Says in the frame, over the picture, why the video does not go on. */
function tell(text: string) {
  const place = document.getElementById('failure');
  if (!place) return;
  place.textContent = text;
  place.hidden = text === '';
}

export type EarlyKeys = (take: (event: KeyboardEvent) => void) => void;

/**
 * Keys that are pressed outside of the controls are the player's, there being nothing else; until
 * those have come, they wait for them.
 * @returns gives all of them, those that wait first, to `take`
 */
function keepKeys(): EarlyKeys {
  const waiting: KeyboardEvent[] = [];
  let give = (event: KeyboardEvent): void => {
    waiting.push(event);
  };

  document.addEventListener('keydown', (event) => {
    if (event.target !== document.body) return;
    give(event);
    document.addEventListener('keyup', (up) => give(up), { once: true });
    // The page has nothing that these would scroll.
    if (event.key === ' ' || event.key.startsWith('Arrow')) event.preventDefault();
  });

  return (take) => {
    give = take;
    for (const event of waiting.splice(0)) take(event);
  };
}
