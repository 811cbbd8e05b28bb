import Check from 'lucide-react/icons/check';
import X from 'lucide-react/icons/x';
import { type ReactNode, useState } from 'react';
import { useSearchParams } from 'wouter';
import type { AdminUserSort } from '../../../server/contract/admin/list-orders.ts';
import { EMAIL_MAX } from '../../../server/contract/limits.ts';
import { formatBalance } from '../../../server/contract/money.ts';
import { formatBytes, formatCount } from '../../../server/contract/units.ts';
import type { AdminUserDetailWire, AdminUserWire, Page } from '../../../server/contract/wire.ts';
import { deletionImpactText } from '../../accounts/shared.ts';
import { call } from '../../runtime/api.ts';
import { DateRange } from '../../ui/date/date-range.tsx';
import { Time } from '../../ui/date/time.tsx';
import { SearchField, useSearchText } from '../../ui/form/search-field.tsx';
import { Toggles } from '../../ui/menu/choice.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { PageRouter } from '../../ui/page-router.tsx';
import { openBy, useOpenItem } from '../../ui/use-opened.ts';
import { useUserDetail } from '../admin-calls.ts';
import { UserDrawer } from '../drawers/user-drawer.tsx';
import { readUserView, type UserView, userParams, userQuery } from '../views.ts';
import {
  AdminTable,
  type Column,
  DetailsLink,
  figure,
  onCard,
  visibleColumns,
} from './admin-table.tsx';
import { countText, ListBody, useList } from './paged-list.tsx';
import { SortChoice, toSortHead } from './sorting.tsx';
import { BanDialog, RemovalDialog, SubjectMenu } from './subject-actions.tsx';

type Props = { path: string; search: string; first: Page<AdminUserWire>; ownId: string };

const PARAMETER = 'user';
const ACTIVE = { true: 'Active', false: 'Inactive' };
const VERIFIED = { true: 'Verified', false: 'Unverified' };

const lossOf = (user: AdminUserDetailWire) =>
  `${deletionImpactText(user)}, a balance of ${formatBalance(user.credit)}`;

const SORTS = {
  storage: 'Storage',
  bandwidth: 'Bandwidth',
  spend: 'Spend',
  balance: 'Balance',
};

/** A signup has no figures before its code is entered. */
const figureOf =
  (format: (user: AdminUserWire) => ReactNode, word?: string) => (user: AdminUserWire) =>
    user.status === 'pending' ? (
      <span className="text-quiet max-md:hidden">–</span>
    ) : (
      <>
        {format(user)}
        {word && <span className="md:hidden"> {word}</span>}
      </>
    );

const COLUMNS: (Column<AdminUserWire, AdminUserSort> & { isExtra?: boolean })[] = [
  {
    label: 'Active',
    className: 'md:w-16',
    card: onCard,
    cell: ({ active }) => <BooleanBadge is={active} yes="Active" no="Inactive" />,
  },
  {
    label: 'Email',
    card: 'max-md:-order-1 max-md:w-full max-md:truncate max-md:pr-9',
    cell: ({ id, email, status }) =>
      status === 'pending' ? (
        <span className="text-quiet">{email}</span>
      ) : (
        <DetailsLink
          name={PARAMETER}
          id={id}
          mark={status === 'banned' ? 'Banned' : status === 'deleting' ? 'Being deleted' : null}
        >
          {email}
        </DetailsLink>
      ),
  },
  {
    label: 'Verified',
    className: 'md:w-18',
    card: onCard,
    cell: ({ verified }) => <BooleanBadge is={verified} yes="Verified" no="Unverified" />,
  },
  {
    label: 'Buckets',
    ...figure('md:w-18'),
    isExtra: true,
    cell: figureOf(({ id, buckets }) => (
      <a href={`/admin/buckets?owner=${id}`} className="hover:underline">
        {formatCount(buckets)}
        <span className="sr-only"> {buckets === 1 ? 'bucket' : 'buckets'} of this account</span>
      </a>
    )),
  },
  {
    label: 'Storage',
    ...figure('md:w-26'),
    sort: 'storage',
    cell: figureOf(({ storage }) => formatBytes(storage)),
  },
  {
    label: 'Bandwidth',
    ...figure('md:w-26'),
    sort: 'bandwidth',
    isExtra: true,
    cell: figureOf(({ bandwidth }) => formatBytes(bandwidth), 'sent'),
  },
  {
    label: 'Spend',
    ...figure('md:w-20'),
    sort: 'spend',
    isExtra: true,
    cell: figureOf(({ spend }) => formatBalance(spend), 'charged'),
  },
  {
    label: 'Balance',
    ...figure('md:w-24'),
    sort: 'balance',
    cell: figureOf(({ balance }) => (
      <span className={balance < 0 ? 'text-error' : ''}>{formatBalance(balance)}</span>
    )),
  },
  {
    label: 'Created at',
    className: 'md:w-36 md:text-right',
    card: 'max-md:w-full max-md:text-xs max-md:text-quiet',
    cell: ({ date }) => <Time iso={date} withTime />,
  },
];

/** A tick or a cross. Cards have no column headers, so they show the word too. */
function BooleanBadge({ is, yes, no }: { is: boolean; yes: string; no: string }) {
  const Icon = is ? Check : X;
  return (
    <span
      className={`inline-flex items-center gap-1 align-middle ${is ? 'text-success' : 'text-quiet'}`}
    >
      <Icon size={16} aria-hidden />
      <span className="md:sr-only">{is ? yes : no}</span>
    </span>
  );
}

/** All users. The filters are in the page's URL. */
export default function AdminUsersIsland(props: Props) {
  return (
    <PageRouter path={props.path} search={props.search}>
      <Users {...props} />
    </PageRouter>
  );
}

function Users({ search, first, ownId }: Props) {
  const [params, setParams] = useSearchParams();
  const view = readUserView(params);
  const change = (part: Partial<UserView>) => setParams(userQuery({ ...view, ...part }));
  const [text, setText] = useSearchText(view.email, (email) => change({ email }));
  const rendered = { page: first, query: userParams(readUserView(new URLSearchParams(search))) };
  const list = useList('users', userParams(view), rendered, (query) =>
    call('GET /admin/users', { query }),
  );
  const columns = visibleColumns(COLUMNS, view.sort);
  const openUser = useOpenItem(PARAMETER);
  const [banned, setBanned] = useState<AdminUserWire | null>(null);
  const [userToDelete, setUserToDelete] = useState<AdminUserWire | null>(null);
  const { data: accountToDelete } = useUserDetail(userToDelete?.id ?? null);

  return (
    <>
      <PageHead title="Users" text={headOf(view) + countText(list, 'account')} />
      <Filters
        view={view}
        text={text}
        isLoading={list.isFetching && !list.isFetchingNextPage}
        onText={setText}
        onChange={change}
      />
      <ListBody
        list={list}
        what="users"
        isNarrowed={Object.keys(userQuery({ ...view, sort: undefined })).length > 0}
        onClear={() => setParams({})}
      >
        {(rows, isComplete, after) => (
          <AdminTable
            key={JSON.stringify(userQuery(view))}
            label="All users"
            rows={rows}
            isComplete={isComplete}
            onVisibleRows={list.onVisibleRows}
            columns={columns}
            heads={columns.map((column) =>
              column.sort ? toSortHead(column, column.sort, view, change) : column,
            )}
            nameOf={({ email }) => email}
            menuOf={(user) => user.status !== 'pending'}
            menu={(user) => (
              <SubjectMenu
                isBanned={user.status === 'banned'}
                canAct={user.id !== ownId && user.status !== 'deleting'}
                onDetails={() => openBy(PARAMETER, user.id)}
                onBan={() => setBanned(user)}
                onDelete={() => setUserToDelete(user)}
              />
            )}
          >
            {after}
          </AdminTable>
        )}
      </ListBody>
      <UserDrawer item={openUser} ids={list.rows.map(({ id }) => id)} />
      <BanDialog
        target={
          banned && {
            kind: 'user',
            id: banned.id,
            name: banned.email,
            isBanned: banned.status === 'banned',
          }
        }
        onClose={() => setBanned(null)}
      />
      <RemovalDialog
        target={
          userToDelete && {
            kind: 'user',
            id: userToDelete.id,
            name: userToDelete.email,
            loss: accountToDelete ? lossOf(accountToDelete) : null,
          }
        }
        onClose={() => setUserToDelete(null)}
      />
    </>
  );
}

const ORDERS = {
  storage: 'by storage',
  bandwidth: 'by bandwidth this month (UTC)',
  spend: 'by spend this month (UTC)',
  balance: 'by the balance after the last daily charge',
};

/** Says what is listed, and in which order. */
const headOf = ({ sort }: UserView) =>
  `Every account on this server, ${sort ? ORDERS[sort] : 'newest first'}.`;

/** What narrows and sorts the list. */
function Filters({
  view,
  text,
  isLoading,
  onText,
  onChange,
}: {
  view: UserView;
  /** What is typed into the search field, which the view has later. */
  text: string;
  isLoading: boolean;
  onText: (text: string) => void;
  onChange: (part: Partial<UserView>) => void;
}) {
  return (
    <search aria-label="Filters" className="mt-6 flex flex-wrap items-center gap-2">
      <SearchField
        label="Search users"
        placeholder="Search by email"
        maxLength={EMAIL_MAX}
        value={text}
        isLoading={isLoading}
        onValue={onText}
      />
      <Toggles
        label="Active"
        options={ACTIVE}
        value={view.active}
        onValue={(active) => onChange({ active })}
      />
      <Toggles
        label="Verified"
        options={VERIFIED}
        value={view.verified}
        onValue={(verified) => onChange({ verified })}
      />
      <DateRange
        isLocal
        className="w-full sm:w-72"
        value={view.range}
        onValue={(range) => onChange({ range })}
      />
      <SortChoice options={SORTS} value={view} onSort={onChange} />
    </search>
  );
}
