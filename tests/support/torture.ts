/** Whether the tests run at full length, as `npm run test:torture` asks. */
export const isTorture: boolean = process.env.WHARF_TORTURE === '1';

/** How many rounds of something that is drawn at random: all of them, or the short form of `npm test`. */
export const rounds = (full: number, short: number): number => (isTorture ? full : short);
