import type { ReactNode } from 'react';

/** The layout of the sign-in pages: a card with links below it. */
export function AccountCard({
  title,
  text,
  children,
  links,
}: {
  title: string;
  text: ReactNode;
  children: ReactNode;
  links: ReactNode;
}) {
  return (
    <div className="mx-auto w-full max-w-sm px-4 pt-12 pb-16 text-sm sm:pt-20">
      <div className="card p-6">
        <h1 className="text-xl font-semibold">{title}</h1>
        <p className="mt-1 mb-5 text-pretty text-quiet">{text}</p>
        {children}
      </div>
      <p className="mt-4 flex justify-center gap-4 text-quiet">{links}</p>
    </div>
  );
}

export const quietLink =
  'quiet-link cursor-pointer rounded font-medium text-base-content underline-offset-4 hover:underline';

/** A link to another page for visitors. */
export function QuietLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <a href={href} className={quietLink}>
      {children}
    </a>
  );
}
