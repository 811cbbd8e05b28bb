import { startCalculator } from './calculator.ts';
import { startClip } from './clip.ts';
import { startCompare } from './compare.ts';

/** What the landing page does without any library. */
startCompare();
startClip();
startCalculator();
