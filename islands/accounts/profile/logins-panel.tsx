import { useQuery } from '@tanstack/react-query';
import LogIn from 'lucide-react/icons/log-in';
import { Time } from '../../ui/date/time.tsx';
import { Panel } from '../../ui/panel.tsx';
import { getLogins, LOGINS_KEY, type LoginRow } from '../account-calls.ts';
import { Place } from './place.tsx';

const METHODS: Record<string, string> = {
  signup: 'Signup',
  code: 'Password and code',
  'trusted-browser': 'Password in a trusted browser',
  recovery: 'Account recovery',
};

/** Lists the latest logins of the account, also those whose sessions have ended. */
export function LoginsPanel({ first }: { first: LoginRow[] }) {
  const { data: rows } = useQuery({
    queryKey: LOGINS_KEY,
    queryFn: getLogins,
    initialData: first,
  });
  return (
    <Panel
      title="Recent logins"
      text="The last 20 logins within 30 days. If one wasn’t you, change your password now."
    >
      <ul className="flush rows">
        {rows.map((login) => (
          <LoginItem key={login.id} login={login} />
        ))}
      </ul>
    </Panel>
  );
}

/** One login: its browser and method, its IP address, when it was, and whether its session is open. */
function LoginItem({ login }: { login: LoginRow }) {
  const method = login.method && METHODS[login.method];
  return (
    <li className="flex items-center gap-3">
      <LogIn size={16} aria-hidden className="shrink-0 text-quiet" />
      <div className="min-w-0 grow sm:grid sm:grid-cols-[1fr_10rem_14rem] sm:items-center sm:gap-4">
        <p className="min-w-0 font-medium">
          <span className="block truncate">{login.device}</span>
          {method && <span className="block text-xs font-normal text-quiet">{method}</span>}
        </p>
        <Place {...login} />
        <p className="text-quiet">
          <Time iso={login.date} withTime />
        </p>
      </div>
      <div className="flex shrink-0 justify-end sm:w-24">
        <LoginStatus login={login} />
      </div>
    </li>
  );
}

function LoginStatus({ login }: { login: LoginRow }) {
  if (login.current) return <span className="text-success">This browser</span>;
  return <span className="text-quiet">{login.active ? 'Logged in' : 'Ended'}</span>;
}
