import type { QualityList } from './quality-list.ts';

/** A video as it comes to the player, whoever reads its playlists. */
export type Source = {
  /** Reads the playlists again and goes on where it is. */
  reload(): void;
};

export type Opening = {
  video: HTMLVideoElement;
  /** Of the master playlist. */
  url: string;
  qualities: QualityList;
  /** Shows why it does not go on; '' when it does again. */
  tell: (text: string) => void;
};

export const FAILURES = {
  unplayable: 'This browser can’t play the video.',
  expired: 'The token for this video has expired. Reload the page that shows it.',
  network: 'The video could not be loaded. Press play to try again.',
};

/** Plays by the browser's own HLS, as on iPhones without MediaSource. It chooses the size alone. */
export function openNative({ video, url, tell }: Opening): Source {
  video.preload = 'none';
  video.src = url;
  video.addEventListener('error', () => {
    const isNetwork = video.error?.code === MediaError.MEDIA_ERR_NETWORK;
    tell(isNetwork ? FAILURES.network : FAILURES.unplayable);
  });
  video.addEventListener('playing', () => tell(''));
  return {
    reload() {
      const { currentTime, paused, playbackRate } = video;
      video.addEventListener(
        'loadedmetadata',
        () => {
          video.currentTime = currentTime;
          video.playbackRate = playbackRate;
        },
        { once: true },
      );
      video.src = url;
      if (!paused) void video.play().catch(() => {});
    },
  };
}
