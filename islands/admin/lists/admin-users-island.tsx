import Check from 'lucide-react/icons/check';
import X from 'lucide-react/icons/x';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { EMAIL_MAX } from '../../../server/contract/limits.ts';
import { formatBalance } from '../../../server/contract/money.ts';
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
import { AdminTable, type Column, DetailsLink, onCard } from './admin-table.tsx';
import { idsIn, ListBody, useList } from './paged-list.tsx';
import { BanDialog, RemovalDialog, SubjectMenu } from './subject-actions.tsx';

type Props = { path: string; search: string; first: Page<AdminUserWire>; ownId: string };

const PARAMETER = 'user';
const ACTIVE = { true: 'Active', false: 'Inactive' };
const VERIFIED = { true: 'Verified', false: 'Unverified' };

const lossOf = (user: AdminUserDetailWire) =>
  `${deletionImpactText(user)}, a balance of ${formatBalance(user.credit)}`;

const COLUMNS: Column<AdminUserWire>[] = [
  {
    label: 'Active',
    className: 'md:w-20',
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
    className: 'md:w-24',
    card: onCard,
    cell: ({ verified }) => <BooleanBadge is={verified} yes="Verified" no="Unverified" />,
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
  const openUser = useOpenItem(PARAMETER);
  const [banned, setBanned] = useState<AdminUserWire | null>(null);
  const [userToDelete, setUserToDelete] = useState<AdminUserWire | null>(null);
  const { data: accountToDelete } = useUserDetail(userToDelete?.id ?? null);

  return (
    <>
      <PageHead title="Users" text="Every account on this server, newest first." />
      <search aria-label="Filters" className="mt-6 flex flex-wrap items-center gap-2">
        <SearchField
          label="Search users"
          placeholder="Search by email"
          maxLength={EMAIL_MAX}
          value={text}
          isLoading={list.isFetching && !list.isFetchingNextPage}
          onValue={setText}
        />
        <Toggles
          label="Active"
          options={ACTIVE}
          value={view.active}
          onValue={(active) => change({ active })}
        />
        <Toggles
          label="Verified"
          options={VERIFIED}
          value={view.verified}
          onValue={(verified) => change({ verified })}
        />
        <DateRange
          isLocal
          className="w-full sm:w-72"
          value={view.range}
          onValue={(range) => change({ range })}
        />
      </search>
      <ListBody
        list={list}
        what="users"
        isNarrowed={Object.keys(userQuery(view)).length > 0}
        onClear={() => setParams({})}
      >
        {(rows, isComplete, after) => (
          <AdminTable
            key={JSON.stringify(userQuery(view))}
            label="All users"
            rows={rows}
            isComplete={isComplete}
            columns={COLUMNS}
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
      <UserDrawer item={openUser} ids={idsIn(list.data)} />
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
