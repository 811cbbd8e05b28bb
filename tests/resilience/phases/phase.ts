import type { Scene } from './scene.ts';

/** Work that a server does by itself, and that takes so long that the server can be killed meanwhile. */
export type Phase = {
  name: string;
  /** Adds work for some tenths of a second, while the server is stopped. */
  leaveWork(scene: Scene): void;
  /** Returns how many rows and objects are still to be worked on; 0 once all is done. */
  countLeft(scene: Scene): number;
  /** Throws where the work of all calls was not done exactly once, or something else was changed. */
  check(scene: Scene): void;
};
