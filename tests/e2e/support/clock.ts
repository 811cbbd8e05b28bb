import type { Page } from '@playwright/test';
import { MINUTE } from '../../../server/contract/limits.ts';

/** Pauses the clock of a page, a minute from now. `page.clock.install` must have been called. */
export const pauseClock = (page: Page) => page.clock.pauseAt(Date.now() + MINUTE);
