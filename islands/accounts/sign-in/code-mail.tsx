import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import MailWarning from 'lucide-react/icons/mail-warning';
import { notify } from '../../runtime/notify.ts';
import { type Confirmation, mailFailure, type Purpose } from '../calls.ts';
import { quietLink } from '../card.tsx';

const ASK_AGAIN_MS = 3_000;

type Waiting = { email: string; purpose: Purpose | Confirmation };

const mailStatusKey = ({ purpose, email }: Waiting) => ['mail-status', purpose, email];

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

/** The toast of the specification for another code. */
export const newCodeSent = (email: string) => `New code sent to ${email}.`;

/**
 * Mails another code: the one before is worth nothing then, and what was said of its mail neither.
 * @param sent the toast
 */
export function ResendCode({
  email,
  purpose,
  sent,
  send,
  onSent,
}: {
  email: string;
  purpose: Purpose | Confirmation;
  sent: string;
  send: () => Promise<unknown>;
  onSent: () => void;
}) {
  const client = useQueryClient();
  const resend = useMutation({
    mutationFn: send,
    onSuccess: () => {
      onSent();
      notify.success(sent);
      void client.resetQueries({ queryKey: mailStatusKey({ purpose, email }) });
    },
  });
  return (
    <button
      type="button"
      className={`${quietLink} aria-disabled:text-quiet`}
      aria-disabled={resend.isPending}
      onClick={() => {
        if (!resend.isPending) resend.mutate();
      }}
    >
      Resend code
    </button>
  );
}
