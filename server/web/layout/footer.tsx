import Code from 'lucide-react/icons/code-xml';
import MonitorPlay from 'lucide-react/icons/monitor-play';
import type { ReactNode } from 'react';
import { docsLink } from './bar-menus.tsx';
import { Mark } from './top-bar.tsx';

export type FooterLinks = {
  docsUrl: string | null;
  videoChannelUrl: string | null;
  sourceUrl: string | null;
  /** The name of the licence of Wharf itself, such as `MIT`. */
  license: string;
  /** Returns the pages of the operator that are there. */
  operatorPages: () => Promise<OwnPage[]>;
};

/** A page whose text the operator has written, such as the terms. */
type OwnPage = { path: string; title: string };

/** Returns the footer of the landing page and the documentation, with the operator's pages that are there now. */
export const footerOf = async (site: FooterLinks): Promise<ReactNode> => (
  <Footer {...site} operatorPages={await site.operatorPages()} />
);

function Footer(site: Omit<FooterLinks, 'operatorPages'> & { operatorPages: OwnPage[] }) {
  return (
    <footer className="border-t border-base-300">
      <div className="mx-auto flex max-w-page flex-wrap items-center justify-between gap-x-4 gap-y-2 px-4 py-6 text-sm sm:px-6">
        <p className="flex items-center gap-2 text-quiet">
          <Mark />© 2025 Wharf, {site.license} licence
        </p>
        <div className="flex min-h-9 flex-wrap items-center gap-1">
          <a href={docsLink(site.docsUrl)} className="btn btn-ghost font-normal">
            Docs
          </a>
          <a href="/health" className="btn btn-ghost font-normal">
            Status
          </a>
          {site.operatorPages.map(({ path, title }) => (
            <a key={path} href={path} className="btn btn-ghost font-normal">
              {title}
            </a>
          ))}
          {site.videoChannelUrl && (
            <IconLink href={site.videoChannelUrl} label="Video channel">
              <MonitorPlay size={18} aria-hidden />
            </IconLink>
          )}
          {site.sourceUrl && (
            <IconLink href={site.sourceUrl} label="Source code">
              <Code size={18} aria-hidden />
            </IconLink>
          )}
        </div>
      </div>
    </footer>
  );
}

function IconLink(props: { href: string; label: string; children: ReactNode }) {
  return (
    <a
      href={props.href}
      target="_blank"
      rel="noreferrer"
      aria-label={props.label}
      className="btn btn-ghost btn-square"
    >
      {props.children}
    </a>
  );
}
