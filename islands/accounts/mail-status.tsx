import { useQuery } from '@tanstack/react-query';
import MailWarning from 'lucide-react/icons/mail-warning';
import { mailFailure, type Purpose } from './calls.ts';

const ASK_AGAIN_MS = 3_000;

export const mailStatusKey = (purpose: Purpose, email: string) => ['mail-status', purpose, email];

/** Says, on a page that waits for a code, that its mail could not be delivered. */
export function MailStatus({ email, purpose }: { email: string; purpose: Purpose }) {
  const { data: failed } = useQuery({
    queryKey: mailStatusKey(purpose, email),
    queryFn: () => mailFailure(email, purpose),
    refetchInterval: ({ state }) => (state.data ? false : ASK_AGAIN_MS),
    retry: false,
  });
  return (
    <div role="status" className="empty:-mt-4">
      {failed && (
        <div className="flex gap-2.5 rounded-md border border-warning p-3">
          <MailWarning size={16} aria-hidden className="mt-0.5 shrink-0 text-warning" />
          <p className="min-w-0 wrap-anywhere">
            The mail could not be delivered. <span className="text-quiet">{failed}</span> Check the
            address, or resend the code.
          </p>
        </div>
      )}
    </div>
  );
}
