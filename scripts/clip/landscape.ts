import { nightAt, type Palette } from './palette.ts';

const HORIZON = 430;
const WIDTH = 1280;

/** Returns a position on the path of sun and moon, which rise at the left and set at the right. */
function arc(part: number) {
  return { x: 160 + part * 960, y: HORIZON + 60 - Math.sin(Math.PI * part) * 400 };
}

/** Returns where the sun is; below the horizon after it has set. */
const sunAt = (hour: number) => arc((hour - 0.12) / 0.7);

/** Returns pseudo-random numbers that are the same in every frame. */
const scatter = (index: number, among: number) =>
  Math.abs(Math.sin(index * 127.1) * 43758.5) % among;
const STARS = Array.from({ length: 46 }, (_, index) => {
  const [x, y] = [scatter(index + 1, WIDTH), scatter(index + 99, 310) + 10];
  return `<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="${index % 5 === 0 ? 2 : 1.3}"/>`;
}).join('');

/** Draws sky, sun, moon, stars, clouds and two lines of hills. */
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

/** Flat strips of light, wider and slower in the foreground. */
const STRIPS = Array.from({ length: 22 }, (_, index) => {
  const depth = ((index * 13) % 22) / 22;
  return { x: (index * 271) % 1280, depth, y: HORIZON + 14 + depth * 276, phase: index * 1.7 };
});

/** Draws the water with its lights and the reflection of the sun. */
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

/** Draws a rocking buoy in the foreground, whose lamp blinks by night. */
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
