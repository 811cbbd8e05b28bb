import type { Life } from './life.ts';
import { isWorkingOn, sourcesOf } from './simulated-media.ts';
import type { World } from './world.ts';

/** More than a job has attempts. */
const MAX_DEATHS = 8;
const PROBABILITY = 0.15;
/** For how many steps an upload is waited for that nobody is working on: it may have ended. */
const MAX_ABSENCE = 800;
/** After so many steps its job may wait for its next attempt. */
const MIN_ABSENCE = 30;

/**
 * Ends the media process of one upload again and again, as a service manager does. That is no fault of any
 * upload.
 */
export class ForeignDeaths {
  private source = '';
  private left = 0;
  private seenAt = 0;

  constructor(private readonly world: World) {}

  get isOver(): boolean {
    return this.left === 0 || this.absence > MAX_ABSENCE;
  }

  /** Whether the job of the upload may wait for its next attempt. */
  get isWaiting(): boolean {
    return !this.isOver && this.absence > MIN_ABSENCE;
  }

  private get absence(): number {
    return this.world.steps - this.seenAt;
  }

  /** Chooses an upload that one of these media processes is working on. */
  choose(media: Life[]): void {
    const source = this.world.pick(media.flatMap(sourcesOf));
    if (source === undefined) return;
    this.source = source;
    this.left = MAX_DEATHS;
    this.seenAt = this.world.steps;
  }

  /** Ends one of these media processes if it is working on the upload. */
  strike(media: Life[]): void {
    const { world } = this;
    if (this.isOver) return;
    const one = media.find((life) => isWorkingOn(life, this.source));
    if (one) this.seenAt = world.steps;
    if (!one || !world.chance(PROBABILITY)) return;
    world.note(`SIGTERM to ${one.name}`);
    one.die('SIGTERM');
    this.left -= 1;
  }
}
