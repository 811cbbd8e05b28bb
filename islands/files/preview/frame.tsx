import type { ReactNode } from 'react';

/** The preview has one shape, so that what is below it stays where it is when the file becomes ready. */
export const frame = 'aspect-video w-full rounded-md border border-base-300 bg-base-100';

export const NoPreview = ({ children }: { children: ReactNode }) => (
  <p className={`grid place-items-center border-dashed px-4 text-center text-quiet ${frame}`}>
    {children}
  </p>
);
