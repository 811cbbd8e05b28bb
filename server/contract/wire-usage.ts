import type { Static } from 'elysia';
import type { ChartAnswer, ChartQuery as ChartQuerySchema } from './schemas/usage.ts';

export type ChartWire = Static<typeof ChartAnswer>;
/** What is asked for; empty counts as unset. */
export type ChartQuery = Static<typeof ChartQuerySchema>;
