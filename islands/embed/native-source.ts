import { FAILURES, type Opening, type Source } from './source.ts';

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
