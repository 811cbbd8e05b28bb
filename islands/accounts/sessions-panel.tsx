import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { notify } from '../notify.ts';
import { Button } from '../ui/button.tsx';
import { Panel } from '../ui/panel.tsx';
import { ErrorState } from '../ui/states.tsx';
import { endOtherSession, endOtherSessions, getSessions } from './profile-calls.ts';
import { SESSIONS_KEY } from './query-keys.ts';
import { SessionItem } from './session-item.tsx';

/** Where the account is logged in, and a way to end it there. */
export function SessionsPanel() {
  const client = useQueryClient();
  const sessions = useQuery({ queryKey: SESSIONS_KEY, queryFn: getSessions });
  const reload = () => client.invalidateQueries({ queryKey: SESSIONS_KEY });
  const end = useMutation({
    mutationFn: endOtherSession,
    onSuccess: () => {
      notify.success('Session ended.');
      return reload();
    },
  });
  const endAll = useMutation({
    mutationFn: endOtherSessions,
    onSuccess: () => {
      notify.success('All other sessions have ended.');
      return reload();
    },
  });
  const rows = sessions.data ?? [];

  return (
    <Panel
      title="Sessions"
      text="Browsers logged in to this account. One that you end is logged out at once."
      action={
        rows.length > 1 && (
          <Button pending={endAll.isPending} onClick={() => endAll.mutate()}>
            End all others
          </Button>
        )
      }
    >
      {sessions.isPending ? (
        <div
          role="status"
          aria-label="Loading"
          className="flex h-20 items-center gap-3 border-t border-base-300 sm:h-[45px]"
        >
          <span className="skeleton size-8" />
          <span className="skeleton h-8 w-64" />
        </div>
      ) : sessions.isError ? (
        <ErrorState
          tried="Your sessions could not be loaded."
          onRetry={() => void sessions.refetch()}
        />
      ) : (
        <ul className="divide-y divide-base-300 border-t border-base-300">
          {rows.map((session) => (
            <SessionItem
              key={session.id}
              session={session}
              ending={end.isPending && end.variables === session.id}
              onEnd={() => end.mutate(session.id)}
            />
          ))}
        </ul>
      )}
    </Panel>
  );
}
