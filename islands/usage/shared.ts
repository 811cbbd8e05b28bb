/** The exports of the usage islands that other islands may import. */
export { ChartPanel } from './chart-panel.tsx';
export { toggled, UNITS } from './view.ts';
