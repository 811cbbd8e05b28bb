import { nightAt, type Palette } from './palette.ts';

/** Eases in and out between 0 and 1. */
const ease = (part: number) => {
  const within = Math.min(1, Math.max(0, part));
  return within * within * (3 - 2 * within);
};

const BOXES = ['#c24614', '#2f7fa3', '#e0b04c', '#7d8fa0', '#3f8f6b', '#ff7a45'];
const BOX = { width: 58, height: 26 };
/** The container that is unloaded. */
const LAST = '#ff7a45';

const box = (x: number, y: number, fill: string) =>
  `<rect x="${x.toFixed(1)}" y="${y.toFixed(1)}" width="${BOX.width}" height="${BOX.height}" fill="${fill}"/>` +
  `<path d="M${(x + 14).toFixed(1)} ${y.toFixed(1)}v26m15-26v26m15-26v26" stroke="#0b1017" stroke-opacity=".22" stroke-width="2"/>`;

/** The second from which the ship lies at the quay. `shipAt` returns the position of its bow in pixels. */
const LANDED = 6;
const shipAt = (seconds: number) => -140 + ease(seconds / LANDED) * 990;

/** Draws a freighter that arrives at the quay and loses one container to the crane. */
export function ship(colours: Palette, hour: number, seconds: number): string {
  const bow = shipAt(seconds);
  const isMoving = seconds < LANDED;
  const boxes = Array.from({ length: 15 }, (_, index) => {
    const [column, row] = [index % 6, Math.floor(index / 6)];
    return box(
      -520 + column * 62 + (row === 2 ? 186 : 0),
      -30 - row * 28,
      BOXES[(index * 5 + row) % 6] ?? '',
    );
  });
  const lit = nightAt(hour) > 0.3 ? '#ffd9a0' : colours.skyLow;
  return [
    `<g transform="translate(${bow.toFixed(1)} 500)">`,
    boxes.join(''),
    liftAt(seconds) === null ? box(-148, -30, LAST) : '',
    `<path fill="#e6edf3" d="M-636-4V-96h84v92Z"/><path fill="#c7d2dc" d="M-646-96v-16h100v16Z"/>`,
    `<path fill="#c24614" d="M-622-112v-34h30v34Z"/>`,
    [0, 1, 2]
      .map(
        (row) =>
          `<path stroke="${lit}" stroke-width="8" stroke-dasharray="10 8" d="M-628 ${-82 + row * 24}h70"/>`,
      )
      .join(''),
    `<path fill="${colours.hull}" d="M-664-16V30q4 26 34 26H-74Q-40 56 0-22H-90v14H-650Z"/>`,
    '<path fill="#c24614" d="M-662 40q6 16 32 16H-74q22 0 40-16Z"/>',
    isMoving
      ? `<path fill="${colours.glint}" opacity=".55" d="M-30 52q34 2 62 8-40 4-90 2Zm-640 4q-60 2-120 8 70 4 140 0Z"/>`
      : '',
    '</g>',
  ].join('');
}

/** The second at which the crane has gripped the container. */
const GRIPPED = 7;
/** Returns the progress of the crane with its container, 0 to 1; null before. */
const liftAt = (seconds: number) =>
  seconds < GRIPPED ? null : Math.min(1, (seconds - GRIPPED) / 3.8);

/** Draws the quay at the right, and the crane that moves a container from the ship to it. */
export function quay(colours: Palette, hour: number, seconds: number): string {
  const lift = liftAt(seconds);
  const reach = { x: 731, y: 458 };
  const up = ease((lift ?? 0) / 0.3);
  const over = ease(((lift ?? 0) - 0.3) / 0.4);
  const down = ease(((lift ?? 0) - 0.7) / 0.3);
  // The hook is lowered before it has gripped the container.
  const hook =
    lift === null
      ? 300 + ease((seconds - LANDED) / (GRIPPED - LANDED)) * 158
      : reach.y - up * 128 + down * 148;
  const x = reach.x + over * 287;
  const lamp = nightAt(hour);
  const steel = `stroke="${colours.steel}" fill="none"`;
  return [
    `<path fill="${colours.quay}" d="M880 508H1280V720H880Z"/><path fill="${colours.steel}" d="M872 496H1280v14H872Z"/>`,
    [900, 970, 1040, 1110, 1180, 1250]
      .map((at) => `<path stroke="${colours.hull}" stroke-width="10" d="M${at} 516V560"/>`)
      .join(''),
    `<path ${steel} stroke-width="13" d="M938 496V236M1130 496V236M938 372H1130"/>`,
    `<path ${steel} stroke-width="6" d="M938 372 1130 240M938 240 1034 150 1250 232M1034 150 640 232M1034 236V150"/>`,
    `<path stroke="#ff7a45" stroke-width="14" d="M632 238H1256"/>`,
    `<path stroke="${colours.hull}" stroke-width="2.5" d="M${(x - 16).toFixed(1)} 246V${hook.toFixed(1)}M${(x + 16).toFixed(1)} 246V${hook.toFixed(1)}"/>`,
    `<path fill="${colours.hull}" d="M${(x - 26).toFixed(1)} 242h52v16h-52Z"/>`,
    `<path fill="${colours.steel}" d="M${(x - 29).toFixed(1)} ${(hook - 6).toFixed(1)}h58v6h-58Z"/>`,
    lift === null ? '' : box(x - 29, hook, LAST),
    box(1150, 470, '#2f7fa3') + box(1212, 470, '#c24614') + box(1181, 444, '#7d8fa0'),
    lamp > 0
      ? `<g fill="#ffd9a0" opacity="${lamp.toFixed(2)}"><circle cx="938" cy="228" r="5"/><circle cx="1130" cy="228" r="5"/><circle cx="636" cy="228" r="5"/><circle cx="1034" cy="146" r="5"/></g>`
      : '',
  ].join('');
}

/** Draws the lighthouse on the near hills, whose light rotates by night. */
export function lighthouse(hour: number, seconds: number): string {
  const night = nightAt(hour);
  const turn = Math.cos(seconds * 1.5);
  const reach = 520 * turn;
  const beam =
    night > 0
      ? `<path fill="#fff3df" opacity="${(night * 0.16).toFixed(2)}" d="M118 262L${(118 + reach).toFixed(1)} ${(262 - 46 * Math.abs(turn)).toFixed(1)}V${(262 + 30 * Math.abs(turn)).toFixed(1)}Z"/>`
      : '';
  return [
    beam,
    '<path fill="#e6edf3" d="M102 362 108 276h20l6 86Z"/><path fill="#c24614" d="M104.3 332 106 308h24l1.7 24Z"/>',
    `<path fill="${night > 0.3 ? '#ffe1b0' : '#8fb4c4'}" d="M109 276v-22h18v22Z"/><path fill="#c24614" d="M105 254 118 240l13 14Z"/>`,
  ].join('');
}
