import type { ErrorData, Level } from 'hls.js';
import type { AudioTrackList } from './audio-track-list.ts';
import type { Quality, QualityList } from './quality-list.ts';

/** The video's playlists, read by hls.js or by the browser itself. */
type Source = {
  /** Reads the playlists again and continues at the same time. */
  reload(): void;
};

type Opening = {
  video: HTMLVideoElement;
  /** The URL of the master playlist. */
  url: string;
  qualities: QualityList;
  audioTracks: AudioTrackList;
  /** Shows why the video does not play. An empty text hides the message. */
  showFailure: (text: string) => void;
};

const FAILURES = {
  unplayable: 'This browser can’t play the video.',
  expired: 'The token for this video has expired. Reload the page that shows it.',
  network: 'The video could not be loaded. Press play to try again.',
};

/** Plays through the browser's own HLS, as on iPhones without MediaSource, which chooses the resolution. */
export function openNative({ video, url, showFailure }: Opening): Source {
  video.preload = 'none';
  video.src = url;
  video.addEventListener('error', () => {
    const isNetwork = video.error?.code === MediaError.MEDIA_ERR_NETWORK;
    showFailure(isNetwork ? FAILURES.network : FAILURES.unplayable);
  });
  video.addEventListener('playing', () => showFailure(''));
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

/** Plays through hls.js, which chooses the resolution unless the user has selected one. */
export async function openHls(opening: Opening): Promise<Source> {
  const { default: Hls } = await import('hls.js');
  if (!Hls.isSupported()) return openNative(opening);
  const { video, url, qualities, audioTracks, showFailure } = opening;
  // fMP4 needs no transmuxing, so a worker would not pay off. Segments are loaded only on play.
  const hls = new Hls({ enableWorker: false, autoStartLoad: false, capLevelToPlayerSize: true });
  let loading = false;
  const load = (from: number) => {
    loading = true;
    hls.startLoad(from || -1);
  };
  hls.on(Hls.Events.MANIFEST_PARSED, (_, { audioTracks: tracks }) => {
    qualities.replace(qualitiesOf(hls.levels));
    audioTracks.replace(tracks.length > 1 ? tracks : []);
  });
  const selectAudio = () => {
    if (hls.audioTrack !== audioTracks.selectedIndex) hls.audioTrack = audioTracks.selectedIndex;
  };
  // hls.js has no tracks to select before it loads the first size.
  hls.on(Hls.Events.AUDIO_TRACKS_UPDATED, selectAudio);
  audioTracks.addEventListener('change', selectAudio);
  hls.on(Hls.Events.ERROR, (_, error) => {
    if (!error.fatal) return;
    if (error.type === Hls.ErrorTypes.MEDIA_ERROR && !video.error) hls.recoverMediaError();
    else {
      loading = false;
      showFailure(textOf(error));
    }
  });
  qualities.addEventListener('change', () => {
    hls.nextLevel = qualities.selectedIndex;
  });
  video.addEventListener('play', () => {
    if (!loading) load(video.currentTime);
  });
  video.addEventListener('playing', () => showFailure(''));
  hls.loadSource(url);
  hls.attachMedia(video);

  return {
    reload() {
      const { currentTime, paused, playbackRate } = video;
      hls.once(Hls.Events.MANIFEST_PARSED, () => {
        if (loading) load(currentTime);
        // A new source resets the playback rate.
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
