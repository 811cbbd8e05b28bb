import { SCENE } from './scene.ts';

const sine = (hertz: number, loud: number) => `${loud}*sin(2*PI*${hertz}*t)`;
/** Silence, then a tone that swells and ends between two seconds. */
const during = (from: number, to: number, tone: string) =>
  `if(between(t,${from},${to}),min(1,min((t-${from})*6,(${to}-t)*3))*(${tone}),0)`;

/** The ship tells that it is there. */
const HORN = during(4, 6, [sine(98, 0.2), sine(147, 0.12), sine(196, 0.06)].join('+'));
/** The buoy's bell, each four seconds, dying away. */
const BELL = `exp(-2.6*mod(t+2.8,4))*(${[sine(784, 0.07), sine(1571, 0.03), sine(2360, 0.012)].join('+')})`;

const SECONDS = `sample_rate=48000:duration=${SCENE.seconds}`;

/** What ffmpeg makes the clip's sound by: waves, a bell and a horn come out as [sound]. */
export const SOUND_GRAPH = [
  `anoisesrc=color=brown:amplitude=0.5:seed=7:${SECONDS},lowpass=f=520,tremolo=f=0.2:d=0.6,volume=0.55,aformat=channel_layouts=stereo[waves]`,
  `aevalsrc=exprs='${BELL}+0.8*${HORN}|0.7*${BELL}+${HORN}':channel_layout=stereo:${SECONDS}[signals]`,
  '[waves][signals]amix=inputs=2:normalize=0:duration=first[sound]',
].join(';');
