/** The exports of the billing islands that other islands may import. */
export { daysLeftText, remainingDays } from './days-left.ts';
