import Monitor from 'lucide-react/icons/monitor';
import { Time } from '../../ui/date/time.tsx';
import { Button } from '../../ui/form/button.tsx';
import type { SessionRow } from './profile-calls.ts';

/** One session: device, address, when it was last seen. */
export function SessionItem({ session, onEnd }: { session: SessionRow; onEnd: () => void }) {
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
