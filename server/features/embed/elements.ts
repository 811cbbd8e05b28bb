import type { HTMLAttributes } from 'react';

/** The elements of media-chrome that the page is written with; the browser's script brings them alive. */
type Control = HTMLAttributes<HTMLElement> & Record<string, unknown>;

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'media-controller': Control;
      'media-control-bar': Control;
      'media-poster-image': Control;
      'media-loading-indicator': Control;
      'media-play-button': Control;
      'media-mute-button': Control;
      'media-volume-range': Control;
      'media-time-range': Control;
      'media-time-display': Control;
      'media-settings-menu': Control;
      'media-settings-menu-item': Control;
      'media-settings-menu-button': Control;
      'media-playback-rate-menu': Control;
      'media-rendition-menu': Control;
      'media-pip-button': Control;
      'media-fullscreen-button': Control;
    }
  }
}
