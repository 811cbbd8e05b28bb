import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import Monitor from 'lucide-react/icons/monitor';
import { useRef, useState } from 'react';
import { notify } from '../../runtime/notify.ts';
import { Time } from '../../ui/date/time.tsx';
import { ConfirmDialog, Subject } from '../../ui/dialog/dialog.tsx';
import { Button } from '../../ui/form/button.tsx';
import { Panel } from '../../ui/panel.tsx';
import {
  endOtherSession,
  endOtherSessions,
  getSessions,
  SESSIONS_KEY,
  type SessionRow,
} from '../account-calls.ts';

/** List the account's sessions, and a way to end it there. */
export function SessionsPanel({ first }: { first: SessionRow[] }) {
  const client = useQueryClient();
  const { data: rows } = useQuery({
    queryKey: SESSIONS_KEY,
    queryFn: getSessions,
    initialData: first,
  });
  const reload = () => client.invalidateQueries({ queryKey: SESSIONS_KEY });
  const [asked, setAsked] = useState<SessionRow | null>(null);
  const [askedAll, setAskedAll] = useState(false);
  const list = useRef<HTMLUListElement>(null);
  const end = useMutation({
    mutationFn: endOtherSession,
    onSuccess: () => {
      setAsked(null);
      notify.success('Session ended.');
      return reload();
    },
  });
  const endAll = useMutation({
    mutationFn: endOtherSessions,
    onSuccess: () => {
      setAskedAll(false);
      notify.success('All other sessions ended.');
      return reload();
    },
  });

  return (
    <Panel
      title="Sessions"
      text="Browsers logged in to your account. Ending a session logs it out immediately."
      action={rows.length > 1 && <Button onClick={() => setAskedAll(true)}>End all others</Button>}
    >
      <ul
        ref={list}
        tabIndex={-1}
        className="divide-y divide-base-300 border-t border-base-300 outline-none"
      >
        {rows.map((session) => (
          <SessionItem key={session.id} session={session} onEnd={() => setAsked(session)} />
        ))}
      </ul>
      <ConfirmDialog
        open={asked !== null}
        title="End session"
        text={
          asked && (
            <>
              <Subject>{asked.device}</Subject> ({asked.address}) will be logged out immediately,
              and its uploads will stop.
            </>
          )
        }
        act="End session"
        isPending={end.isPending}
        after={list}
        onConfirm={() => asked && end.mutate(asked.id)}
        onClose={() => setAsked(null)}
      />
      <ConfirmDialog
        open={askedAll}
        title="End all other sessions"
        text={`${others(rows)} logged out immediately, and uploads there will stop. This browser stays logged in.`}
        act="End all others"
        isPending={endAll.isPending}
        after={list}
        onConfirm={() => endAll.mutate()}
        onClose={() => setAskedAll(false)}
      />
    </Panel>
  );
}

/** '1 other browser will be', '2 other browsers are'. */
function others(rows: SessionRow[]): string {
  const count = rows.filter(({ current }) => !current).length;
  return count === 1 ? '1 other browser will be' : `${count} other browsers will be`;
}

/** One session: device, address, when it was last seen. */
function SessionItem({ session, onEnd }: { session: SessionRow; onEnd: () => void }) {
  return (
    <li className="flex items-center gap-3 py-3 last:pb-0">
      <Monitor size={16} aria-hidden className="shrink-0 text-quiet" />
      <div className="min-w-0 grow sm:grid sm:grid-cols-[1fr_10rem_14rem] sm:items-center sm:gap-4">
        <p className="truncate font-medium">{session.device}</p>
        <p className="truncate font-mono text-xs text-quiet">{session.address}</p>
        <p className="text-quiet">
          Last seen <Time iso={session.last_seen} withTime />
        </p>
      </div>
      <div className="flex w-24 shrink-0 justify-end">
        {session.current ? (
          <span className="text-success">This browser</span>
        ) : (
          <Button className="btn-sm" aria-label={`End ${session.device}`} onClick={onEnd}>
            End
          </Button>
        )}
      </div>
    </li>
  );
}
