import { followSizes } from './early.ts';
import { keepKeys } from './early-keys.ts';
import { tell } from './failure.ts';
import { openHls } from './hls-source.ts';
import { openNative } from './native-source.ts';
import { QualityList } from './quality-list.ts';

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
