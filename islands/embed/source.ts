import type { ErrorData, Level } from 'hls.js';
import type { Quality, QualityList } from './quality-list.ts';

/** A video as it comes to the player, whoever reads its playlists. */
type Source = {
  /** Reads the playlists again and goes on where it is. */
  reload(): void;
};

type Opening = {
  video: HTMLVideoElement;
  /** Of the master playlist. */
  url: string;
  qualities: QualityList;
  /** Shows why it does not go on; '' when it does again. */
  tell: (text: string) => void;
};

const FAILURES = {
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

/** Plays by hls.js, which chooses between the sizes or keeps to the one that is chosen. */
export async function openHls(opening: Opening): Promise<Source> {
  const { default: Hls } = await import('hls.js');
  if (!Hls.isSupported()) return openNative(opening);
  const { video, url, qualities, tell } = opening;
  // fMP4 needs no transmuxing that would be worth a worker. Nothing is fetched for who never plays.
  const hls = new Hls({ enableWorker: false, autoStartLoad: false, capLevelToPlayerSize: true });
  let loading = false;
  const load = (from: number) => {
    loading = true;
    hls.startLoad(from || -1);
  };
  hls.on(Hls.Events.MANIFEST_PARSED, () => qualities.replace(qualitiesOf(hls.levels)));
  hls.on(Hls.Events.ERROR, (_, error) => {
    if (!error.fatal) return;
    if (error.type === Hls.ErrorTypes.MEDIA_ERROR && !video.error) hls.recoverMediaError();
    else {
      loading = false;
      tell(textOf(error));
    }
  });
  qualities.addEventListener('change', () => {
    hls.nextLevel = qualities.selectedIndex;
  });
  video.addEventListener('play', () => {
    if (!loading) load(video.currentTime);
  });
  video.addEventListener('playing', () => tell(''));
  hls.loadSource(url);
  hls.attachMedia(video);

  return {
    reload() {
      const { currentTime, paused, playbackRate } = video;
      hls.once(Hls.Events.MANIFEST_PARSED, () => {
        if (loading) load(currentTime);
        // Another source begins at the speed of before any choice.
        video.playbackRate = playbackRate;
        if (!paused) void video.play().catch(() => {});
      });
      hls.loadSource(url);
    },
  };
}

const qualitiesOf = (levels: Level[]): Quality[] =>
  levels.map(({ width, height, bitrate }, index) => {
    return { id: String(index), width, height, bitrate };
  });

function textOf({ type, response }: ErrorData): string {
  if (type !== 'networkError') return FAILURES.unplayable;
  return response?.code === 401 || response?.code === 403 ? FAILURES.expired : FAILURES.network;
}
