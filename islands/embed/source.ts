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
  expired: 'The token of this video has run out. Open it again from where it was shown.',
  network: 'The video could not be loaded. Press play to try again.',
};
