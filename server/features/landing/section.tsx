import type { ReactNode } from 'react';

/** The classes of a container that is as wide as the content of the bar. */
export const WIDTH = 'mx-auto max-w-page px-4 sm:px-6';

/** A section of the landing page with a heading, as wide as the window. */
export function Section(section: {
  id: string;
  title: string;
  text: string;
  isRaised?: boolean;
  children: ReactNode;
}) {
  const { id, title, text, isRaised, children } = section;
  return (
    <section
      id={id}
      aria-labelledby={`${id}-title`}
      className={`scroll-mt-14 border-t border-base-300 ${isRaised ? 'bg-base-200' : ''}`}
    >
      <div className={`${WIDTH} py-16 lg:py-24`}>
        <h2
          id={`${id}-title`}
          className="text-2xl font-semibold tracking-tight text-balance lg:text-3xl"
        >
          {title}
        </h2>
        <p className="mt-3 max-w-3xl text-balance text-quiet lg:text-lg">{text}</p>
        {children}
      </div>
    </section>
  );
}
