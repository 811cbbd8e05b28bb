import BookOpen from 'lucide-react/icons/book-open';
import CircleUser from 'lucide-react/icons/circle-user-round';
import LayoutGrid from 'lucide-react/icons/layout-grid';
import LogOut from 'lucide-react/icons/log-out';
import Menu from 'lucide-react/icons/menu';
import UserRound from 'lucide-react/icons/user-round';
import type { Viewer } from '../contract/wire.ts';
import { docsLink } from './docs-link.ts';
import { Mark } from './mark.tsx';
import { ThemeMenu } from './theme-menu.tsx';

type Props = { viewer: Viewer | null; docsUrl: string | null };

/** The top navigation. It works before any island does: its menus are the browser's own popovers. */
export function TopBar({ viewer, docsUrl }: Props) {
  return (
    <header className="bar sticky top-0 z-30 border-b border-base-300 bg-base-100">
      <nav
        aria-label="Main"
        className="mx-auto flex h-14 max-w-[1248px] items-center gap-1 px-4 sm:px-6"
      >
        <a href="/" className="mr-auto flex items-center gap-2 rounded text-base font-semibold">
          <Mark />
          Wharf
        </a>
        <div className="hidden items-center gap-1 lg:flex">
          {viewer && (
            <a href="/dashboard" className="btn btn-ghost font-medium">
              Dashboard
            </a>
          )}
          <DocsLink docsUrl={docsUrl} className="btn btn-ghost font-medium" />
        </div>
        <ThemeMenu />
        {viewer ? (
          <>
            <UserMenu viewer={viewer} />
            <CompactMenu viewer={viewer} docsUrl={docsUrl} />
          </>
        ) : (
          <a href="/login" className="btn btn-primary ml-2">
            Login
          </a>
        )}
      </nav>
    </header>
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
        <CircleUser size={18} aria-hidden />
      </button>
      <div id="user-menu" popover="auto" className="menu-panel bar-menu">
        <SignedInAs email={viewer.email} />
        <ProfileLink />
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
        <Menu size={18} aria-hidden />
      </button>
      <div id="compact-menu" popover="auto" className="menu-panel bar-menu">
        <SignedInAs email={viewer.email} />
        <a href="/dashboard" className="menu-item">
          <LayoutGrid size={16} aria-hidden />
          Dashboard
        </a>
        <ProfileLink />
        <DocsLink docsUrl={docsUrl} className="menu-item" />
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
