import { nightAt, type Palette } from './palette.ts';
import { HORIZON, sunAt } from './sky.ts';

/** Flat strips of light, wider and slower towards the one who looks. */
const STRIPS = Array.from({ length: 22 }, (_, index) => {
  const depth = ((index * 13) % 22) / 22;
  return { x: (index * 271) % 1280, depth, y: HORIZON + 14 + depth * 276, phase: index * 1.7 };
});

/** The water with its light, and the way that the sun lays over it. */
export function sea(colours: Palette, hour: number, seconds: number): string {
  const sun = sunAt(hour);
  const strip = (x: number, y: number, width: number, height: number, opacity: number) =>
    `<rect x="${(x - width / 2).toFixed(1)}" y="${y.toFixed(1)}" width="${width.toFixed(1)}" height="${height.toFixed(1)}" rx="${(height / 2).toFixed(1)}" opacity="${opacity}"/>`;
  const lights = STRIPS.map(({ x, y, depth, phase }) => {
    const sway = Math.sin(seconds * 0.6 + phase) * (6 + depth * 16);
    return strip(x + sway, y, 34 + depth * 120, 2 + depth * 4, 0.3);
  });
  const isUp = sun.y < HORIZON + 40;
  const path = isUp
    ? Array.from({ length: 9 }, (_, index) => {
        const depth = index / 9;
        const width = (70 + depth * 120) * (0.75 + 0.25 * Math.sin(seconds * 1.1 + index * 2.1));
        return strip(sun.x, HORIZON + 8 + depth * 270, width, 4 + depth * 5, 0.62);
      })
    : [];
  return [
    `<rect y="${HORIZON}" width="1280" height="290" fill="${colours.water}"/>`,
    `<rect y="560" width="1280" height="160" fill="${colours.waterLow}" opacity=".6"/>`,
    `<g fill="${colours.glint}">${lights.join('')}${path.join('')}</g>`,
  ].join('');
}

const BUOY = { x: 112, y: 652 };

/** A buoy that nods in front; its lamp blinks by night. */
export function buoy(colours: Palette, hour: number, seconds: number): string {
  const rise = Math.sin(seconds * 1.5) * 5;
  const lean = Math.sin(seconds * 1.1 + 0.6) * 5;
  const lamp = nightAt(hour) > 0.3 && seconds % 2 < 0.7;
  return [
    `<g transform="translate(${BUOY.x} ${(BUOY.y - 8 + rise).toFixed(1)}) rotate(${lean.toFixed(2)})">`,
    lamp ? '<circle cy="-104" r="34" fill="#ff7a45" opacity=".28"/>' : '',
    `<path fill="#ff7a45" d="M-15-20-9-84H9L15-20Z"/><path fill="#f7f8fa" d="M-12.8-44-11-64H11L12.8-44Z"/>`,
    `<path fill="none" stroke="${colours.hull}" stroke-width="4" d="M-8-84V-98H8V-84"/>`,
    `<circle cy="-104" r="7" fill="${lamp ? '#ffe1cf' : '#c24614'}"/>`,
    '<path fill="#c24614" d="M-40 6-34-20H34L40 6Z"/>',
    '</g>',
    `<ellipse cx="${BUOY.x}" cy="${(BUOY.y + 2 + rise * 0.3).toFixed(1)}" rx="62" ry="7" fill="${colours.waterLow}"/>`,
    `<ellipse cx="${BUOY.x}" cy="${(BUOY.y + rise * 0.3).toFixed(1)}" rx="50" ry="3" fill="${colours.glint}" opacity=".5"/>`,
  ].join('');
}
