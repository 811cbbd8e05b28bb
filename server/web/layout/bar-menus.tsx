import BookOpen from 'lucide-react/icons/book-open';
import Check from 'lucide-react/icons/check';
import HardDrive from 'lucide-react/icons/hard-drive';
import Keyboard from 'lucide-react/icons/keyboard';
import LayoutGrid from 'lucide-react/icons/layout-grid';
import LogOut from 'lucide-react/icons/log-out';
import Menu from 'lucide-react/icons/menu';
import Monitor from 'lucide-react/icons/monitor';
import Moon from 'lucide-react/icons/moon';
import ShieldCheck from 'lucide-react/icons/shield-check';
import Sun from 'lucide-react/icons/sun';
import SunMoon from 'lucide-react/icons/sun-moon';
import UserRound from 'lucide-react/icons/user-round';
import Wallet from 'lucide-react/icons/wallet';
import { MESSAGES } from '../../contract/messages.ts';
import { formatBalance } from '../../contract/money.ts';
import type { Viewer } from '../../contract/wire.ts';

/** The link to the billing page, with the balance, which the script of every page keeps current. */
export function BillingLink({
  viewer,
  isCurrent = false,
  className,
}: {
  viewer: Viewer;
  isCurrent?: boolean;
  className: string;
}) {
  return (
    <a href="/billing" aria-current={isCurrent ? 'page' : undefined} className={className}>
      <Wallet size={16} aria-hidden />
      Billing
      <span data-balance className="numbers text-quiet">
        {viewer.credit === null ? MESSAGES.noBalance : formatBalance(viewer.credit)}
      </span>
    </a>
  );
}

/** The link to the keys for S3 clients. */
export function S3Link({
  isCurrent = false,
  className,
}: {
  isCurrent?: boolean;
  className: string;
}) {
  return (
    <a href="/dashboard/s3" aria-current={isCurrent ? 'page' : undefined} className={className}>
      <HardDrive size={16} aria-hidden />
      S3
    </a>
  );
}

/** The link to the admin pages. */
export function AdminLink({
  isCurrent = false,
  className,
}: {
  isCurrent?: boolean;
  className: string;
}) {
  return (
    <a href="/admin/overview" aria-current={isCurrent ? 'true' : undefined} className={className}>
      <ShieldCheck size={16} aria-hidden />
      Admin
    </a>
  );
}

/** The link to the documentation, which opens in a new tab. */
export function DocsLink({ docsUrl, className }: { docsUrl: string | null; className: string }) {
  return (
    <a href={docsLink(docsUrl)} target="_blank" rel="noreferrer" className={className}>
      <BookOpen size={16} aria-hidden />
      Docs
    </a>
  );
}

/** The menu of a logged-in user on a wide screen. */
export function UserMenu({ viewer }: { viewer: Viewer }) {
  return (
    <>
      <button
        type="button"
        popoverTarget="user-menu"
        className="btn btn-ghost btn-square hidden lg:inline-flex"
        aria-label="User menu"
      >
        <Initial email={viewer.email} />
      </button>
      <div id="user-menu" popover="auto" className="menu-panel bar-menu">
        <SignedInAs email={viewer.email} />
        <ProfileLink />
        <button type="button" className="menu-item" data-action="shortcuts">
          <Keyboard size={16} aria-hidden />
          Keyboard shortcuts
        </button>
        <ThemeRow />
        <button type="button" className="menu-item" data-action="logout">
          <LogOut size={16} aria-hidden />
          Logout
        </button>
      </div>
    </>
  );
}

/** The menu of a logged-in user below the large breakpoint, with the links of the bar. */
export function CompactMenu({ viewer, docsUrl }: { viewer: Viewer; docsUrl: string | null }) {
  return (
    <>
      <button
        type="button"
        popoverTarget="compact-menu"
        className="btn btn-ghost btn-square lg:hidden"
        aria-label="Menu"
      >
        <Menu size={16} aria-hidden />
      </button>
      <div id="compact-menu" popover="auto" className="menu-panel bar-menu">
        <SignedInAs email={viewer.email} />
        <a href="/dashboard" className="menu-item">
          <LayoutGrid size={16} aria-hidden />
          Dashboard
        </a>
        <ProfileLink />
        {viewer.hasS3 && <S3Link className="menu-item" />}
        <BillingLink viewer={viewer} className="menu-item" />
        <DocsLink docsUrl={docsUrl} className="menu-item" />
        {viewer.isAdmin && <AdminLink className="menu-item" />}
        <ThemeRow />
        <button type="button" className="menu-item" data-action="logout">
          <LogOut size={16} aria-hidden />
          Log out
        </button>
      </div>
    </>
  );
}

function ProfileLink() {
  return (
    <a href="/profile" className="menu-item">
      <UserRound size={16} aria-hidden />
      Profile
    </a>
  );
}

/** The first letter of the account's address, in place of a picture. */
const Initial = ({ email }: { email: string }) => (
  <span
    data-viewer-initial
    className="grid size-6 place-items-center rounded-full bg-base-300 text-xs font-semibold text-base-content uppercase"
  >
    {email.charAt(0)}
  </span>
);

/** The address of the account. The script of the profile page updates it after a change. */
function SignedInAs({ email }: { email: string }) {
  return (
    <p
      data-viewer-email
      className="mb-1 max-w-64 truncate border-b border-base-300 px-2.5 pt-1 pb-2 text-xs text-quiet"
    >
      {email}
    </p>
  );
}

const CHOICES = [
  { value: 'light', label: 'Light', Icon: Sun },
  { value: 'dark', label: 'Dark', Icon: Moon },
  { value: 'system', label: 'System', Icon: Monitor },
];

/** The themes as a row of the menu of a logged-in user. */
function ThemeRow() {
  return (
    <fieldset className="flex items-center justify-between gap-2 pl-2.5 text-sm">
      <legend className="sr-only">Theme</legend>
      {/* It stands in line with the texts beside the icons. */}
      <span aria-hidden className="pl-6.5">
        Theme
      </span>
      <span className="flex">
        {CHOICES.map(({ value, label, Icon }) => (
          <button
            key={value}
            type="button"
            className="btn btn-ghost btn-square btn-sm text-quiet aria-pressed:bg-base-300 aria-pressed:text-base-content"
            data-theme-choice={value}
            aria-label={label}
            title={label}
          >
            <Icon size={16} aria-hidden />
          </button>
        ))}
      </span>
    </fieldset>
  );
}

/** The menu of the themes for visitors. islands/page/theme.ts applies the choice and marks it. */
export function ThemeMenu() {
  return (
    <>
      <button
        type="button"
        popoverTarget="theme-menu"
        className="btn btn-ghost btn-square"
        aria-label="Theme"
      >
        <SunMoon size={16} aria-hidden />
      </button>
      <div id="theme-menu" popover="auto" className="menu-panel bar-menu">
        {CHOICES.map(({ value, label, Icon }) => (
          <button
            key={value}
            type="button"
            className="menu-item aria-pressed:text-primary"
            data-theme-choice={value}
          >
            <Icon size={16} aria-hidden />
            {label}
            <Check size={16} aria-hidden className="ml-auto hidden [[aria-pressed=true]>&]:block" />
          </button>
        ))}
      </div>
    </>
  );
}

/** Returns the URL of the documentation: DOCS_URL, or our own reference where it is unset. */
export const docsLink = (docsUrl: string | null): string => docsUrl ?? '/docs';
