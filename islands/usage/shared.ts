/** What other subjects may use of charts. */
export { ChartPanel } from './chart-panel.tsx';
export { toggled, UNITS } from './view.ts';
