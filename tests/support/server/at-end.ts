import { afterAll } from 'bun:test';

/*
 * `bunfig.toml` has every run of tests load this file first, so that its hook runs after the last file of the run.
 */

const cleanUps: (() => Promise<void>)[] = [];

afterAll(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

/** Registers what is done after the last test of all files that this process runs; the last one first. */
export const atEnd = (cleanUp: () => Promise<void>): void => void cleanUps.push(cleanUp);
