import ShieldCheck from 'lucide-react/icons/shield-check';
import UserRound from 'lucide-react/icons/user-round';
import type { ReactNode } from 'react';
import { SideFrame } from './side-frame.tsx';

const ENTRIES = [
  { label: 'Profile', href: '/profile', Icon: UserRound },
  { label: 'Security', href: '/profile/security', Icon: ShieldCheck },
] as const;

/** A page of the user's account, with its side navigation. */
export const AccountFrame = ({
  current,
  children,
}: {
  current: (typeof ENTRIES)[number]['href'];
  children: ReactNode;
}) => (
  <SideFrame
    label="Account"
    title={<p className="px-2.5 font-semibold max-lg:hidden">Your account</p>}
    entries={ENTRIES.map((entry) => ({ ...entry, isCurrent: entry.href === current }))}
  >
    {children}
  </SideFrame>
);
