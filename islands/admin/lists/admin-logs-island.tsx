import Download from 'lucide-react/icons/download';
import PanelRight from 'lucide-react/icons/panel-right';
import Trash from 'lucide-react/icons/trash-2';
import X from 'lucide-react/icons/x';
import { type RefObject, useRef, useState } from 'react';
import { useSearchParams } from 'wouter';
import { AUDIT_SECTIONS } from '../../../server/contract/audit.ts';
import { BUCKET_NAME_MAX } from '../../../server/contract/limits.ts';
import type { AdminLogWire, Page } from '../../../server/contract/wire.ts';
import { call } from '../../runtime/api.ts';
import { DateRange } from '../../ui/date/date-range.tsx';
import { Time } from '../../ui/date/time.tsx';
import { ConfirmDialog, Subject } from '../../ui/dialog/dialog.tsx';
import { Button } from '../../ui/form/button.tsx';
import { SearchField, useSearchText } from '../../ui/form/search-field.tsx';
import { Toggles } from '../../ui/menu/choice.tsx';
import { MenuItem } from '../../ui/menu/menu.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { PageRouter } from '../../ui/page-router.tsx';
import { useHideLog, useLogExport } from '../admin-calls.ts';
import { actorName, LogDrawer } from '../drawers/log-drawer.tsx';
import { type LogView, logParams, logQuery, readLogView } from '../views.ts';
import { AdminTable, type Column, onCard } from './admin-table.tsx';
import { ListBody, useList } from './paged-list.tsx';

type Props = { path: string; search: string; first: Page<AdminLogWire> };

const columns = (open: (entry: AdminLogWire) => void): Column<AdminLogWire>[] => [
  {
    label: 'Message',
    card: 'max-md:w-full max-md:truncate max-md:pr-9',
    cell: (entry) => (
      <button
        type="button"
        aria-haspopup="dialog"
        className="max-w-full cursor-pointer truncate align-bottom font-medium hover:underline max-md:after:absolute max-md:after:inset-0"
        title={entry.message}
        onClick={() => open(entry)}
      >
        {entry.message}
        {entry.subject_email && entry.subject_email !== entry.actor.user?.email && (
          <span className="font-normal text-quiet"> {entry.subject_email}</span>
        )}
      </button>
    ),
  },
  {
    label: 'By',
    className: 'md:w-44',
    card: `${onCard} max-md:max-w-48 max-md:truncate max-md:before:hidden`,
    cell: ({ actor }) => <span className="text-quiet">{actorName(actor)}</span>,
  },
  {
    label: 'Section',
    className: 'md:w-24',
    card: onCard,
    cell: ({ section }) => AUDIT_SECTIONS[section],
  },
  {
    label: 'Created at',
    className: 'md:w-36 md:text-right',
    card: 'max-md:w-full max-md:text-xs max-md:text-quiet',
    cell: ({ date }) => <Time iso={date} withTime />,
  },
];

/** The audit log. The filters are in the page's URL. */
export default function AdminLogsIsland(props: Props) {
  return (
    <PageRouter path={props.path} search={props.search}>
      <Logs {...props} />
    </PageRouter>
  );
}

function Logs({ search, first }: Props) {
  const [params, setParams] = useSearchParams();
  const view = readLogView(params);
  const change = (part: Partial<LogView>) => setParams(logQuery({ ...view, ...part }));
  const [typed, setTyped] = useSearchText(view.text, (text) => change({ text }));
  const rendered = { page: first, query: logParams(readLogView(new URLSearchParams(search))) };
  const list = useList('logs', logParams(view), rendered, (query) =>
    call('GET /admin/logs', { query }),
  );
  const [openEntry, setOpenEntry] = useState<AdminLogWire | null>(null);
  const [entryToDelete, setEntryToDelete] = useState<AdminLogWire | null>(null);
  const listElement = useRef<HTMLDivElement>(null);

  return (
    <>
      <PageHead
        title="Logs"
        text="Who did what on this server, and when. Entries can’t be edited; deleting one hides it and is logged."
      >
        <ExportButtons view={view} />
      </PageHead>
      <search aria-label="Filters" className="mt-6 flex flex-wrap items-center gap-2">
        <SearchField
          label="Search logs"
          placeholder="Search by message"
          maxLength={BUCKET_NAME_MAX}
          value={typed}
          isLoading={list.isFetching && !list.isFetchingNextPage}
          onValue={setTyped}
        />
        <div className="max-sm:[&_button]:px-2">
          <Toggles
            label="Section"
            options={AUDIT_SECTIONS}
            value={view.section}
            onValue={(section) => change({ section })}
          />
        </div>
        <DateRange
          isLocal
          className="w-full sm:w-72"
          value={view.range}
          onValue={(range) => change({ range })}
        />
        {view.subject && (
          <Button onClick={() => change({ subject: undefined })}>
            About <code className="font-mono text-xs">{view.subject.slice(-6)}</code>
            <X size={16} aria-hidden />
            <span className="sr-only">Show all entries</span>
          </Button>
        )}
      </search>
      <div ref={listElement} tabIndex={-1} className="outline-none">
        <ListBody
          list={list}
          what="logs"
          isNarrowed={Object.keys(logQuery(view)).length > 0}
          onClear={() => setParams({})}
        >
          {(rows, isComplete, after) => (
            <AdminTable
              key={JSON.stringify(logQuery(view))}
              label="Log entries"
              rows={rows}
              isComplete={isComplete}
              onVisibleRows={list.onVisibleRows}
              columns={columns(setOpenEntry)}
              nameOf={({ message }) => message}
              menu={(entry) => (
                <>
                  <MenuItem onSelect={() => setOpenEntry(entry)}>
                    <PanelRight size={16} aria-hidden />
                    Details
                  </MenuItem>
                  <MenuItem danger onSelect={() => setEntryToDelete(entry)}>
                    <Trash size={16} aria-hidden />
                    Delete
                  </MenuItem>
                </>
              )}
            >
              {after}
            </AdminTable>
          )}
        </ListBody>
      </div>
      <LogDrawer entry={openEntry} onClose={() => setOpenEntry(null)} />
      <HideDialog
        entry={entryToDelete}
        after={listElement}
        onClose={() => setEntryToDelete(null)}
      />
    </>
  );
}

/** Downloads all filtered entries, not only the loaded pages. */
function ExportButtons({ view }: { view: LogView }) {
  const save = useLogExport(logParams(view));
  return (
    <div className="flex gap-2">
      {(['csv', 'jsonl'] as const).map((format) => (
        <Button
          key={format}
          pending={save.isPending && save.variables === format}
          onClick={() => save.mutate(format)}
        >
          <Download size={16} aria-hidden />
          {format === 'csv' ? 'CSV' : 'JSON lines'}
        </Button>
      ))}
    </div>
  );
}

/** Asks before an entry is hidden from the list. */
function HideDialog({
  entry,
  after,
  onClose,
}: {
  /** Null while the dialog is closed. */
  entry: AdminLogWire | null;
  after: RefObject<HTMLElement | null>;
  onClose: () => void;
}) {
  const hide = useHideLog();
  return (
    <ConfirmDialog
      open={entry !== null}
      title="Delete log entry"
      text={
        entry && (
          <>
            <Subject>{entry.message}</Subject> It is removed from this list and from exports. The
            deletion itself is logged, with the text of the entry.
          </>
        )
      }
      act="Delete"
      isPending={hide.isPending}
      after={after}
      onConfirm={() => entry && hide.mutate(entry.id, { onSuccess: onClose })}
      onClose={onClose}
    />
  );
}
