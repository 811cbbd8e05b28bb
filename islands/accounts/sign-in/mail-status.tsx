import { useQuery } from '@tanstack/react-query';
import MailWarning from 'lucide-react/icons/mail-warning';
import { type Confirmation, mailFailure, type Purpose } from '../calls.ts';

const ASK_AGAIN_MS = 3_000;

type Waiting = { email: string; purpose: Purpose | Confirmation };

export const mailStatusKey = ({ purpose, email }: Waiting) => ['mail-status', purpose, email];

/** Says, on a page that waits for a code, that its mail could not be delivered. */
export function MailStatus(waiting: Waiting) {
  const { data: failed } = useQuery({
    queryKey: mailStatusKey(waiting),
    queryFn: () => mailFailure(waiting.email, waiting.purpose),
    refetchInterval: ASK_AGAIN_MS,
    retry: false,
  });
  return (
    <div role="status" className="empty:-mt-4">
      {failed && (
        <div className="flex gap-2.5 rounded-md border border-warning p-3">
          <MailWarning size={16} aria-hidden className="mt-0.5 shrink-0 text-warning" />
          <p className="min-w-0">{failed}</p>
        </div>
      )}
    </div>
  );
}
