import type { EarlyKeys } from './main.ts';
import 'media-chrome/dist/media-controller.js';
import 'media-chrome/dist/media-control-bar.js';
import 'media-chrome/dist/media-poster-image.js';
import 'media-chrome/dist/media-loading-indicator.js';
import 'media-chrome/dist/media-play-button.js';
import 'media-chrome/dist/media-mute-button.js';
import 'media-chrome/dist/media-volume-range.js';
import 'media-chrome/dist/media-time-range.js';
import 'media-chrome/dist/media-time-display.js';
import 'media-chrome/dist/media-pip-button.js';
import 'media-chrome/dist/media-fullscreen-button.js';
import 'media-chrome/dist/menu/media-settings-menu.js';
import 'media-chrome/dist/menu/media-settings-menu-item.js';
import 'media-chrome/dist/menu/media-settings-menu-button.js';
import 'media-chrome/dist/menu/media-playback-rate-menu.js';
import 'media-chrome/dist/menu/media-rendition-menu.js';

/**
 * The controls' elements come alive by being imported. Their keys work while the focus is among
 * them; here, where there is nothing else, they always do.
 */
export function controlVideo(video: HTMLVideoElement, keys: EarlyKeys) {
  const controller = video.closest('media-controller');
  // media-chrome learns the time from 'timeupdate', which comes when a seek is over: a key pressed
  // before that would go from where the one before it began.
  controller?.addEventListener('mediaseekrequest', () =>
    video.dispatchEvent(new Event('timeupdate')),
  );
  keys((event) => controller?.dispatchEvent(new KeyboardEvent(event.type, event)));
}
