import { nightAt, type Palette } from './palette.ts';

export const HORIZON = 430;
const WIDTH = 1280;

/** Sun and moon each rise at the left and set at the right. */
function arc(part: number) {
  return { x: 160 + part * 960, y: HORIZON + 60 - Math.sin(Math.PI * part) * 400 };
}

/** Where the sun is; below the horizon when it has set. */
export const sunAt = (hour: number) => arc((hour - 0.12) / 0.7);

/** Scattered, but the same in every picture. */
const scatter = (index: number, among: number) =>
  Math.abs(Math.sin(index * 127.1) * 43758.5) % among;
const STARS = Array.from({ length: 46 }, (_, index) => {
  const [x, y] = [scatter(index + 1, WIDTH), scatter(index + 99, 310) + 10];
  return `<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="${index % 5 === 0 ? 2 : 1.3}"/>`;
}).join('');

/** Sky, sun, moon, stars, clouds and two lines of hills. */
export function sky(colours: Palette, hour: number, seconds: number): string {
  const sun = sunAt(hour);
  const moon = arc(((hour + 0.28) % 1) / 0.62);
  const night = nightAt(hour);
  const disc = (radius: number, opacity: number) =>
    `<circle cx="${sun.x.toFixed(1)}" cy="${sun.y.toFixed(1)}" r="${radius}" fill="${colours.glow}" opacity="${opacity}"/>`;
  return [
    `<rect width="${WIDTH}" height="${HORIZON}" fill="${colours.sky}"/>`,
    `<rect y="200" width="${WIDTH}" height="230" fill="${colours.skyLow}" opacity=".35"/>`,
    `<rect y="310" width="${WIDTH}" height="120" fill="${colours.skyLow}" opacity=".7"/>`,
    `<g fill="#dfe9f3" opacity="${(night * 0.85).toFixed(2)}">${STARS}</g>`,
    `<circle cx="${moon.x.toFixed(1)}" cy="${moon.y.toFixed(1)}" r="30" fill="#dfe9f3" opacity="${night.toFixed(2)}"/>`,
    ...(night < 1 ? [disc(190, 0.12), disc(120, 0.2), disc(72, 0.35)] : []),
    `<circle cx="${sun.x.toFixed(1)}" cy="${sun.y.toFixed(1)}" r="46" fill="#fff3df"/>`,
    clouds(seconds, 1 - night),
    `<path fill="${colours.hillFar}" d="M0 430V352C90 320 170 300 260 326S420 392 520 372 690 300 800 318 980 388 1080 366 1220 330 1280 342V430Z"/>`,
    `<path fill="${colours.hillNear}" d="M0 430V366C60 352 130 350 190 372S300 414 390 418 560 424 640 430Z"/>`,
  ].join('');
}

function clouds(seconds: number, opacity: number): string {
  const one = (x: number, y: number, scale: number) =>
    `<path transform="translate(${x.toFixed(1)} ${y}) scale(${scale})" d="M0 40a20 20 0 0 1 16-32 34 34 0 0 1 62-2 26 26 0 0 1 40 16 20 20 0 0 1 2 18Z"/>`;
  const drift = seconds * 5;
  const shapes =
    one(170 + drift, 96, 1.1) + one(610 + drift * 0.7, 52, 0.8) + one(980 + drift, 132, 1.3);
  return `<g fill="#ffffff" opacity="${(opacity * 0.55).toFixed(2)}">${shapes}</g>`;
}
