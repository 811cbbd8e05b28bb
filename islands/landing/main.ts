import { startCalculator } from './calculator.ts';
import { startCompare } from './compare.ts';

/** What the landing page does without any library. */
startCompare();
startCalculator();
