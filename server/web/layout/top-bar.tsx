import BookOpen from 'lucide-react/icons/book-open';
import ChevronsUpDown from 'lucide-react/icons/chevrons-up-down';
import CircleUser from 'lucide-react/icons/circle-user-round';
import Keyboard from 'lucide-react/icons/keyboard';
import LayoutGrid from 'lucide-react/icons/layout-grid';
import LogOut from 'lucide-react/icons/log-out';
import Menu from 'lucide-react/icons/menu';
import ShieldCheck from 'lucide-react/icons/shield-check';
import UserRound from 'lucide-react/icons/user-round';
import Wallet from 'lucide-react/icons/wallet';
import { MESSAGES } from '../../contract/messages.ts';
import { formatBalance } from '../../contract/money.ts';
import { SHORTCUTS } from '../../contract/shortcuts.ts';
import type { Viewer } from '../../contract/wire.ts';
import { Island } from '../islands/island.tsx';
import { docsLink } from './docs-link.ts';
import { Mark } from './mark.tsx';
import { ThemeMenu } from './theme-menu.tsx';

/** The list of all buckets, the account's money, the operator's pages, or a page of a bucket. */
export type Place = 'buckets' | 'billing' | 'admin' | { id: string; name: string };

type Props = { viewer: Viewer | null; docsUrl: string | null; at?: Place };

/** The top navigation. It works before any island does: its menus are the browser's own popovers. */
export function TopBar({ viewer, docsUrl, at }: Props) {
  return (
    <header className="bar sticky top-0 z-30 border-b border-base-300 bg-base-100">
      <nav
        aria-label="Main"
        className="mx-auto flex h-14 max-w-[1248px] items-center gap-1 px-4 sm:px-6"
      >
        <a
          href="/"
          className="mr-1 flex h-10 items-center gap-2 rounded text-base font-semibold lg:mr-3"
        >
          <Mark />
          Wharf
        </a>
        {viewer && (
          <a
            href="/dashboard"
            aria-current={at === 'buckets' ? 'page' : undefined}
            className="btn btn-ghost hidden font-medium lg:inline-flex"
          >
            Dashboard
          </a>
        )}
        {viewer && at !== 'buckets' && <BucketPicker bucket={bucketAt(at)} />}
        <div className="ml-auto hidden items-center gap-1 lg:flex">
          {viewer && <BillingLink viewer={viewer} at={at} className="btn btn-ghost font-medium" />}
          <DocsLink docsUrl={docsUrl} className="btn btn-ghost font-medium" />
          {viewer?.isAdmin && <AdminLink at={at} className="btn btn-ghost font-medium" />}
        </div>
        <div className="flex shrink-0 items-center gap-1 max-lg:ml-auto">
          <ThemeMenu />
          {viewer ? (
            <>
              <UserMenu viewer={viewer} />
              <CompactMenu viewer={viewer} docsUrl={docsUrl} />
            </>
          ) : (
            <a href="/login" className="btn ml-2">
              Login
            </a>
          )}
        </div>
      </nav>
    </header>
  );
}

const PICKER = 'bucket-picker';

const bucketAt = (at: Place | undefined) => (typeof at === 'object' ? at : null);

/**
 * The bucket that the page is about, and a way to any other. The button is no part of the island:
 * it stands still, and works, while that is loaded.
 */
function BucketPicker({ bucket }: { bucket: { id: string; name: string } | null }) {
  return (
    <>
      <button
        type="button"
        popoverTarget={PICKER}
        aria-haspopup="dialog"
        data-shortcut={SHORTCUTS.search.keys}
        className="picker-button btn btn-ghost min-w-0 max-w-60 shrink font-medium"
      >
        {bucket ? (
          <>
            <span className="sr-only">Bucket:</span>
            <span className="truncate" data-bucket-name>
              {bucket.name}
            </span>
          </>
        ) : (
          <span className="truncate text-quiet">Select Bucket</span>
        )}
        <ChevronsUpDown size={16} aria-hidden className="shrink-0 text-quiet" />
      </button>
      <Island name="bucket-picker" isLate props={{ id: PICKER, currentId: bucket?.id ?? null }} />
    </>
  );
}

/** The balance is kept to what it is by the script of every page. */
function BillingLink({ viewer, at, className }: { viewer: Viewer; at?: Place; className: string }) {
  return (
    <a href="/billing" aria-current={at === 'billing' ? 'page' : undefined} className={className}>
      <Wallet size={16} aria-hidden />
      Billing
      <span data-balance className="numbers text-quiet">
        {viewer.credit === null ? MESSAGES.noBalance : formatBalance(viewer.credit)}
      </span>
    </a>
  );
}

function AdminLink({ at, className }: { at?: Place; className: string }) {
  return (
    <a href="/admin" aria-current={at === 'admin' ? 'true' : undefined} className={className}>
      <ShieldCheck size={16} aria-hidden />
      Admin
    </a>
  );
}

function DocsLink({ docsUrl, className }: { docsUrl: string | null; className: string }) {
  return (
    <a href={docsLink(docsUrl)} target="_blank" rel="noreferrer" className={className}>
      <BookOpen size={16} aria-hidden />
      Docs
    </a>
  );
}

function UserMenu({ viewer }: { viewer: Viewer }) {
  return (
    <>
      <button
        type="button"
        popoverTarget="user-menu"
        className="btn btn-ghost btn-square hidden lg:inline-flex"
        aria-label="User menu"
      >
        <CircleUser size={16} aria-hidden />
      </button>
      <div id="user-menu" popover="auto" className="menu-panel bar-menu">
        <SignedInAs email={viewer.email} />
        <ProfileLink />
        <button type="button" className="menu-item" data-action="shortcuts">
          <Keyboard size={16} aria-hidden />
          Keyboard shortcuts
        </button>
        <button type="button" className="menu-item" data-action="logout">
          <LogOut size={16} aria-hidden />
          Logout
        </button>
      </div>
    </>
  );
}

function CompactMenu({ viewer, docsUrl }: { viewer: Viewer; docsUrl: string | null }) {
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
        <BillingLink viewer={viewer} className="menu-item" />
        <DocsLink docsUrl={docsUrl} className="menu-item" />
        {viewer.isAdmin && <AdminLink className="menu-item" />}
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

/** The profile changes the address that stands here. */
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
