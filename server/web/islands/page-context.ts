import { createContext } from 'react';
import type { Renderer } from './renderer.ts';

type PageFacts = Pick<Renderer, 'renderIsland'> & { nonce: string };

/** What islands need to know of the page they stand in; null outside of one. */
export const PageContext = createContext<PageFacts | null>(null);
