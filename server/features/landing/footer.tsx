import Code from 'lucide-react/icons/code-xml';
import MonitorPlay from 'lucide-react/icons/monitor-play';
import type { ReactNode } from 'react';
import { Mark } from '../../web/layout/mark.tsx';

export function Footer(site: { videoChannelUrl: string | null; sourceUrl: string | null }) {
  return (
    <footer className="border-t border-base-300">
      <div className="mx-auto flex max-w-[1248px] items-center justify-between gap-4 px-4 py-6 text-sm sm:px-6">
        <p className="flex items-center gap-2 text-quiet">
          <Mark />© 2025 Wharf
        </p>
        <div className="flex min-h-9 gap-1">
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
