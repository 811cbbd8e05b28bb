import ChevronsUpDown from 'lucide-react/icons/chevrons-up-down';
import { SHORTCUTS } from '../../contract/shortcuts.ts';
import type { Viewer } from '../../contract/wire.ts';
import { Island } from '../islands/island.tsx';
import {
  AdminLink,
  BillingLink,
  CompactMenu,
  DocsLink,
  S3Link,
  ThemeMenu,
  UserMenu,
} from './bar-menus.tsx';

/** Where the viewer is: the list of buckets, billing, the admin pages, or a page of one bucket. */
export type TopBarLocation = 'buckets' | 's3' | 'billing' | 'admin' | { id: string; name: string };

type Props = { viewer: Viewer | null; docsUrl: string | null; at?: TopBarLocation };

/**
 * The top navigation. Its menus are popovers of the browser, so they work before any island is
 * loaded.
 */
export function TopBar({ viewer, docsUrl, at }: Props) {
  return (
    <header className="bar sticky top-0 z-30 border-b border-base-300 bg-base-100">
      <nav
        aria-label="Main"
        className="mx-auto flex h-14 max-w-page items-center gap-1 px-4 sm:px-6"
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
          {viewer?.hasS3 && (
            <S3Link isCurrent={at === 's3'} className="btn btn-ghost font-medium" />
          )}
          {viewer && (
            <BillingLink
              viewer={viewer}
              isCurrent={at === 'billing'}
              className="btn btn-ghost font-medium"
            />
          )}
          {!viewer && (
            <a href="/#pricing" className="btn btn-ghost font-medium">
              Pricing
            </a>
          )}
          <DocsLink docsUrl={docsUrl} className="btn btn-ghost font-medium" />
          {viewer?.isAdmin && (
            <AdminLink isCurrent={at === 'admin'} className="btn btn-ghost font-medium" />
          )}
        </div>
        <div className="flex shrink-0 items-center gap-1 max-lg:ml-auto">
          {viewer ? (
            <>
              <UserMenu viewer={viewer} />
              <CompactMenu viewer={viewer} docsUrl={docsUrl} />
            </>
          ) : (
            <>
              <ThemeMenu />
              <a href="/login" className="btn ml-2">
                Login
              </a>
              <a href="/signup" className="btn btn-primary">
                Sign up
              </a>
            </>
          )}
        </div>
      </nav>
    </header>
  );
}

const PICKER = 'bucket-picker';

const bucketAt = (at: TopBarLocation | undefined) => (typeof at === 'object' ? at : null);

/**
 * The bucket of the page, and a picker of others. The button is not part of the island, so it
 * neither moves nor stops working while the island is loaded.
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
      <Island name="bucket-picker" isLazy props={{ id: PICKER, currentId: bucket?.id ?? null }} />
    </>
  );
}

/** The logo, a bollard with its rope, in the colours of the theme. */
export function Mark() {
  return (
    <svg viewBox="0 0 32 32" className="size-6 shrink-0" aria-hidden="true">
      <path
        d="M9 4.5h14a2 2 0 0 1 0 4.5h-2.6l1 15H24a1.7 1.7 0 0 1 0 3.4H8A1.7 1.7 0 0 1 8 24h2.6l1-15H9a2 2 0 0 1 0-4.5Z"
        fill="currentColor"
      />
      <path
        d="M10.4 14c3.4 2.2 7.8 2.2 11.2 0M10 18.5c3.6 2.2 8.4 2.2 12 0M22 18.5c3 .4 5 1.7 7 3.8"
        className="stroke-primary"
        fill="none"
        strokeWidth="2.4"
        strokeLinecap="round"
      />
    </svg>
  );
}
