import { SECOND } from '../../server/contract/limits.ts';

const PLAYLIST_INTERVAL_MS = 5 * SECOND;

/** A resolution of the video, in the shape that media-chrome's quality menu expects. */
export type Quality = { id: string; width: number; height: number; bitrate: number };

/**
 * The `videoRenditions` that media-chrome's menu expects of a video: a list with events. A
 * `selectedIndex` of -1 leaves the choice to the player.
 */
export class QualityList extends EventTarget {
  [index: number]: Quality;
  length = 0;
  private selected = -1;

  [Symbol.iterator](): IterableIterator<Quality> {
    return Array.prototype.values.call(this);
  }

  get selectedIndex(): number {
    return this.selected;
  }

  set selectedIndex(index: number) {
    if (index === this.selected) return;
    this.selected = index;
    this.dispatchEvent(new Event('change'));
  }

  /** Replaces the qualities. The selected one stays selected if it is still there. */
  replace(qualities: Quality[]) {
    const quality = this[this.selected];
    for (let index = 0; index < this.length; index += 1) delete this[index];
    Object.assign(this, qualities, { length: qualities.length });
    this.selected = qualities.findIndex(({ width, height }) => {
      return width === quality?.width && height === quality.height;
    });
    this.dispatchEvent(new Event('addrendition'));
    this.dispatchEvent(new Event('change'));
  }
}

/**
 * Reloads a source when the other resolutions of its video are ready: it can be played in the first
 * one while they are encoded. Polling stops then, and also when the playlist is gone.
 */
export function reloadWhenComplete(url: string, source: { reload(): void }) {
  const timer = setInterval(async () => {
    if (document.hidden) return;
    // Without a response, the next request may succeed.
    const response = await fetch(url, { cache: 'no-cache' }).catch(() => null);
    if (!response || response.status >= 500) return;
    const sizes = response.ok ? countResolutions(await response.text()) : 0;
    if (sizes === 1) return;
    clearInterval(timer);
    if (sizes > 1) source.reload();
  }, PLAYLIST_INTERVAL_MS);
}

/** Returns how many resolutions a master playlist lists. */
export const countResolutions = (master: string): number =>
  new Set(master.match(/RESOLUTION=\d+x\d+/g)).size;
