import { createContext } from 'react';

/** What islands need to know of the page they stand in. */
export const PageContext = createContext({ nonce: '' });
