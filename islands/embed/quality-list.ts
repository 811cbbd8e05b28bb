import { SECOND } from '../../server/contract/limits.ts';

const LOOK_EVERY = 5 * SECOND;

/** One size of the video, as media-chrome's quality menu shows it. */
export type Quality = { id: string; width: number; height: number; bitrate: number };

/**
 * The `videoRenditions` that media-chrome's menu expects of a video: a list with events. Chosen is
 * `selectedIndex`; -1 leaves the choice to the player.
 */
export class QualityList extends EventTarget {
  [index: number]: Quality;
  length = 0;
  #selected = -1;

  [Symbol.iterator](): IterableIterator<Quality> {
    return Array.prototype.values.call(this);
  }

  get selectedIndex(): number {
    return this.#selected;
  }

  set selectedIndex(index: number) {
    if (index === this.#selected) return;
    this.#selected = index;
    this.dispatchEvent(new Event('change'));
  }

  /** Puts other qualities in the place of those there are; a chosen one stays chosen if it is still there. */
  replace(qualities: Quality[]) {
    const chosen = this[this.#selected];
    for (let index = 0; index < this.length; index += 1) delete this[index];
    Object.assign(this, qualities, { length: qualities.length });
    this.#selected = qualities.findIndex(({ width, height }) => {
      return width === chosen?.width && height === chosen.height;
    });
    this.dispatchEvent(new Event('addrendition'));
    this.dispatchEvent(new Event('change'));
  }
}

/**
 * The video plays in one size while the others are made. Looks now and then whether they have come;
 * then the source takes them in. It ends too when the address leads nowhere any more.
 */
export function followSizes(url: string, source: { reload(): void }) {
  const timer = setInterval(async () => {
    if (document.hidden) return;
    // Without an answer there may be one the next time.
    const answer = await fetch(url, { cache: 'no-cache' }).catch(() => null);
    if (!answer || answer.status >= 500) return;
    const sizes = answer.ok ? sizesIn(await answer.text()) : 0;
    if (sizes === 1) return;
    clearInterval(timer);
    if (sizes > 1) source.reload();
  }, LOOK_EVERY);
}

/** How many sizes a master playlist names. */
export const sizesIn = (master: string): number =>
  new Set(master.match(/RESOLUTION=\d+x\d+/g)).size;
