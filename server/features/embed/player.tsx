import Settings from 'lucide-react/icons/settings';
import type { HTMLAttributes } from 'react';
import { thumbHashToDataURL } from 'thumbhash';

type Playing = {
  /** The URL of the master playlist. The three URLs have the token where the video is private. */
  url: string;
  poster: string | null;
  previews: string | null;
  /** The duration in milliseconds. */
  duration: number | null;
  /** The ThumbHash of the poster in base64. */
  thumbhash: string | null;
  /** Whether the video is still being encoded, so that more sizes will be added. */
  isProcessing: boolean;
  autoplays?: boolean;
};

/**
 * The player, which needs the script `embed.js`. Without scripts the browser shows its own player.
 * The seek previews are the cues of a metadata track with the label 'thumbnails', which
 * media-chrome reads.
 */
export function Player(playing: Playing) {
  const { url, poster, previews, duration, thumbhash, isProcessing, autoplays } = playing;
  return (
    <>
      <media-controller
        defaultstreamtype="on-demand"
        defaultduration={duration === null ? undefined : duration / 1000}
      >
        {/** biome-ignore lint/a11y/useMediaCaption: Captions are not made of videos. */}
        <video
          slot="media"
          playsInline
          crossOrigin="anonymous"
          data-url={url}
          data-early={isProcessing ? '' : undefined}
          data-play={autoplays ? '' : undefined}
        >
          {previews && <track kind="metadata" label="thumbnails" src={previews} default />}
        </video>
        <media-poster-image
          slot="poster"
          src={poster ?? undefined}
          placeholdersrc={
            thumbhash ? thumbHashToDataURL(Buffer.from(thumbhash, 'base64')) : undefined
          }
        />
        <media-loading-indicator slot="centered-chrome" noautohide="" />
        <media-play-button slot="centered-chrome" class="large-play" notooltip="" />
        <SettingsMenu />
        <media-time-range />
        <media-control-bar>
          <media-play-button />
          <media-mute-button />
          <media-volume-range />
          <media-time-display showduration="" notoggle="" />
          <span className="space" />
          <media-settings-menu-button>
            <Settings slot="icon" aria-hidden />
          </media-settings-menu-button>
          <media-pip-button />
          <media-fullscreen-button />
        </media-control-bar>
        <p id="failure" className="failure" role="alert" hidden />
      </media-controller>
      <noscript>
        {/** biome-ignore lint/a11y/useMediaCaption: Captions are not made of videos. */}
        <video controls playsInline preload="none" src={url} poster={poster ?? undefined} />
      </noscript>
    </>
  );
}

function SettingsMenu() {
  return (
    <media-settings-menu hidden anchor="auto">
      <media-settings-menu-item>
        Speed
        <media-playback-rate-menu slot="submenu" hidden rates="0.5 0.75 1 1.25 1.5 2">
          <div slot="title">Speed</div>
        </media-playback-rate-menu>
      </media-settings-menu-item>
      <media-settings-menu-item>
        Quality
        <media-rendition-menu slot="submenu" hidden>
          <div slot="title">Quality</div>
        </media-rendition-menu>
      </media-settings-menu-item>
      <media-settings-menu-item id="audio-item" hidden>
        Audio
        <media-audio-track-menu slot="submenu" hidden>
          <div slot="title">Audio</div>
        </media-audio-track-menu>
      </media-settings-menu-item>
    </media-settings-menu>
  );
}

/** An element of media-chrome, which the script of the page defines. */
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
      'media-audio-track-menu': Control;
      'media-rendition-menu': Control;
      'media-pip-button': Control;
      'media-fullscreen-button': Control;
    }
  }
}
