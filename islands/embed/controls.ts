import type { EmbedKeys } from './main.ts';
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
import 'media-chrome/dist/menu/media-audio-track-menu.js';
import 'media-chrome/dist/menu/media-rendition-menu.js';

/**
 * Connects the video to its controls, whose elements the imports above define. media-chrome handles
 * keys only while the controls have the focus. This page has nothing else, so they always get them.
 */
export function controlVideo(video: HTMLVideoElement, keys: EmbedKeys) {
  const controller = video.closest('media-controller');
  // media-chrome reads the time on 'timeupdate', which follows a finished seek. A second key before
  // that would seek from the old time.
  controller?.addEventListener('mediaseekrequest', () =>
    video.dispatchEvent(new Event('timeupdate')),
  );
  keys((event) => controller?.dispatchEvent(new KeyboardEvent(event.type, event)));
}
