import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { notify } from '../notify.ts';
import { Button } from '../ui/button.tsx';
import { Panel } from '../ui/panel.tsx';
import {
  endOtherSession,
  endOtherSessions,
  getSessions,
  type SessionRow,
} from './profile-calls.ts';
import { SESSIONS_KEY } from './query-keys.ts';
import { SessionItem } from './session-item.tsx';

/** Where the account is logged in, and a way to end it there. */
export function SessionsPanel({ first }: { first: SessionRow[] }) {
  const client = useQueryClient();
  const { data: rows } = useQuery({
    queryKey: SESSIONS_KEY,
    queryFn: getSessions,
    initialData: first,
  });
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
    </Panel>
  );
}
