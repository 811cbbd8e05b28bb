import { AudioTrackList } from './audio-track-list.ts';
import { QualityList, reloadWhenComplete } from './quality-list.ts';
import { openHls, openNative } from './source.ts';

/** hls.js needs one of these. It is preferred because it lets the user choose a resolution. */
const hasMediaSource = 'MediaSource' in window || 'ManagedMediaSource' in window;

/**
 * Starts the player. media-chrome reads the lists of qualities and audio tracks only once, when its
 * elements find the video. So the lists are set before they are loaded.
 */
async function start(video: HTMLVideoElement) {
  const { url = '', early, play } = video.dataset;
  const qualities = new QualityList();
  const audioTracks = new AudioTrackList();
  const keys = keepKeys();
  if (hasMediaSource) {
    Object.assign(video, { videoRenditions: qualities });
    // Safari has the property on its prototype, without a setter.
    Object.defineProperty(video, 'audioTracks', { value: audioTracks });
  }
  try {
    const opening = { video, url, qualities, audioTracks, showFailure };
    const [source, { controlVideo }] = await Promise.all([
      hasMediaSource ? openHls(opening) : openNative(opening),
      import('./controls.ts'),
    ]);
    controlVideo(video, keys);
    const showTracks = () => {
      const item = document.getElementById('audio-item');
      if (item) item.hidden = audioTracks.length === 0;
    };
    audioTracks.addEventListener('addtrack', showTracks);
    // The tracks may have come before the controls, which then read them again.
    audioTracks.dispatchEvent(new Event('addtrack'));
    if (early !== undefined) reloadWhenComplete(url, source);
    // If the browser blocks autoplay with sound, the user presses the play button.
    if (play !== undefined) await video.play().catch(() => {});
  } catch {
    showFailure('The player could not be loaded. Reload the page to try again.');
  }
}

const video = document.querySelector('video');
if (video) void start(video);

/** Shows over the video why it does not play. An empty text hides the message. */
function showFailure(text: string) {
  const element = document.getElementById('failure');
  if (!element) return;
  element.textContent = text;
  element.hidden = text === '';
}

export type EmbedKeys = (take: (event: KeyboardEvent) => void) => void;

/**
 * Collects the keys that are pressed outside the controls, which handle them once they are loaded.
 * @returns a function that passes all keys to `take`, first those that were pressed before
 */
function keepKeys(): EmbedKeys {
  const waiting: KeyboardEvent[] = [];
  let handle = (event: KeyboardEvent): void => {
    waiting.push(event);
  };

  document.addEventListener('keydown', (event) => {
    if (event.target !== document.body) return;
    handle(event);
    document.addEventListener('keyup', (up) => handle(up), { once: true });
    // Otherwise these keys would scroll the page.
    if (event.key === ' ' || event.key.startsWith('Arrow')) event.preventDefault();
  });

  return (take) => {
    handle = take;
    for (const event of waiting.splice(0)) take(event);
  };
}
