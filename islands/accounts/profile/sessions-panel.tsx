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
  reloadSecurity,
  SESSIONS_KEY,
  type SessionRow,
} from '../account-calls.ts';
import { Place } from './place.tsx';

/** Lists the sessions of the account, with buttons to end the others. */
export function SessionsPanel({ first }: { first: SessionRow[] }) {
  const client = useQueryClient();
  const { data: rows } = useQuery({
    queryKey: SESSIONS_KEY,
    queryFn: getSessions,
    initialData: first,
  });
  const [sessionToEnd, setSessionToEnd] = useState<SessionRow | null>(null);
  const [isEndingAll, setEndingAll] = useState(false);
  const list = useRef<HTMLUListElement>(null);
  const end = useMutation({
    mutationFn: endOtherSession,
    onSuccess: () => {
      setSessionToEnd(null);
      notify.success('Session ended.');
      return reloadSecurity(client);
    },
  });
  const endAll = useMutation({
    mutationFn: endOtherSessions,
    onSuccess: () => {
      setEndingAll(false);
      notify.success('All other sessions ended.');
      return reloadSecurity(client);
    },
  });

  return (
    <Panel
      title="Sessions"
      text="Browsers logged in to your account. Ending a session logs it out immediately."
      action={rows.length > 1 && <Button onClick={() => setEndingAll(true)}>End all others</Button>}
    >
      <ul ref={list} tabIndex={-1} className="flush rows outline-none">
        {rows.map((session) => (
          <SessionItem key={session.id} session={session} onEnd={() => setSessionToEnd(session)} />
        ))}
      </ul>
      <ConfirmDialog
        open={sessionToEnd !== null}
        title="End session"
        text={
          sessionToEnd && (
            <>
              <Subject>{sessionToEnd.device}</Subject> ({sessionToEnd.address}) will be logged out
              immediately, and its uploads will stop.
            </>
          )
        }
        act="End session"
        isPending={end.isPending}
        after={list}
        onConfirm={() => sessionToEnd && end.mutate(sessionToEnd.id)}
        onClose={() => setSessionToEnd(null)}
      />
      <ConfirmDialog
        open={isEndingAll}
        title="End all other sessions"
        text={`${others(rows)} logged out immediately, and uploads there will stop. This browser stays logged in, and no browser is trusted any more: each login needs a code.`}
        act="End all others"
        isPending={endAll.isPending}
        after={list}
        onConfirm={() => endAll.mutate()}
        onClose={() => setEndingAll(false)}
      />
    </Panel>
  );
}

/** Returns '1 other browser will be' or '2 other browsers will be'. */
function others(rows: SessionRow[]): string {
  const count = rows.filter(({ current }) => !current).length;
  return count === 1 ? '1 other browser will be' : `${count} other browsers will be`;
}

/** One session: its device, its IP address, and when it was last seen. */
function SessionItem({ session, onEnd }: { session: SessionRow; onEnd: () => void }) {
  return (
    <li className="flex items-center gap-3">
      <Monitor size={16} aria-hidden className="shrink-0 text-quiet" />
      <div className="min-w-0 grow sm:grid sm:grid-cols-[1fr_10rem_14rem] sm:items-center sm:gap-4">
        <p className="min-w-0 font-medium">
          <span className="block truncate">{session.device}</span>
          {session.current && (
            <span className="block text-xs font-normal text-success">This browser</span>
          )}
        </p>
        <Place {...session} />
        <p className="text-quiet">
          Last seen <Time iso={session.last_seen} withTime />
        </p>
      </div>
      <div className="flex shrink-0 justify-end sm:w-24">
        {!session.current && (
          <Button className="btn-sm" aria-label={`End ${session.device}`} onClick={onEnd}>
            End
          </Button>
        )}
      </div>
    </li>
  );
}
