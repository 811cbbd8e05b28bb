import { useMutation, useQueryClient } from '@tanstack/react-query';
import { notify } from '../../runtime/notify.ts';
import type { Confirmation, Purpose } from '../calls.ts';
import { quietLink } from '../card.tsx';
import { mailStatusKey } from './mail-status.tsx';

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
