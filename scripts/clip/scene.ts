import { lighthouse, quay, ship } from './harbour.ts';
import { buoy, sea, sky } from './landscape.ts';
import { paletteAt } from './palette.ts';

export const SCENE = { width: 1280, height: 720, seconds: 12, framesPerSecond: 20 };

/**
 * Draws a day in a harbour as an SVG: a ship arrives and a crane unloads it. `seconds` is the time from the
 * start.
 */
export function scene(seconds: number): string {
  const hour = 0.1 + (seconds / SCENE.seconds) * 0.84;
  const colours = paletteAt(hour);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${SCENE.width}" height="${SCENE.height}">`,
    sky(colours, hour, seconds),
    lighthouse(hour, seconds),
    sea(colours, hour, seconds),
    ship(colours, hour, seconds),
    quay(colours, hour, seconds),
    buoy(colours, hour, seconds),
    '</svg>',
  ].join('');
}
