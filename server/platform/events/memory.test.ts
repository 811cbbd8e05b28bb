import { describeEvents } from './conformance.ts';
import { openMemoryEvents } from './memory.ts';

describeEvents('events in memory', async (onError) => openMemoryEvents({ onError }));
