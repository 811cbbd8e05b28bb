import { useEffect, useRef } from 'react';
import {
  SETTINGS_SECTIONS,
  type SettingsSection,
  settingsPath,
} from '../../../server/contract/buckets/settings-sections.ts';

const SECTIONS = Object.entries(SETTINGS_SECTIONS) as [SettingsSection, string][];

/** Links to the pages of a bucket's settings, as tabs. Where they don't fit, they are scrolled to the open one. */
export function SettingsTabs({
  bucketId,
  current,
}: {
  bucketId: string;
  current: SettingsSection;
}) {
  const nav = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another tab is open
  useEffect(() => {
    const tabs = nav.current;
    const open = tabs?.querySelector('[aria-current]')?.getBoundingClientRect();
    if (!tabs || !open) return;
    const { left } = tabs.getBoundingClientRect();
    tabs.scrollLeft += open.left + open.width / 2 - left - tabs.clientWidth / 2;
  }, [current]);
  return (
    <nav
      ref={nav}
      aria-label="Settings"
      className="mt-4 flex gap-1 max-sm:gap-0 overflow-x-auto border-b border-base-300 max-sm:-mx-4 max-sm:px-4"
    >
      {SECTIONS.map(([section, label]) => (
        <a
          key={section}
          href={settingsPath(bucketId, section)}
          aria-current={section === current ? 'page' : undefined}
          className="flex h-10 shrink-0 items-center border-b-2 border-transparent px-2.5 max-sm:px-2 font-medium text-quiet -outline-offset-2 hover:text-base-content aria-[current]:border-primary aria-[current]:text-base-content"
        >
          {label}
        </a>
      ))}
    </nav>
  );
}
