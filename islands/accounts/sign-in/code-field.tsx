import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import MailWarning from 'lucide-react/icons/mail-warning';
import { useEffect, useLayoutEffect, useRef } from 'react';
import { notify } from '../../runtime/notify.ts';
import { Field } from '../../ui/form/field.tsx';
import { useSingleAction } from '../../ui/form/single-action.ts';
import { type Confirmation, mailFailure, type Purpose } from '../account-calls.ts';
import { quietLink } from '../card.tsx';

const DIGITS = 6;

const MAIL_STATUS_INTERVAL_MS = 3_000;

/** Returns the digits of a pasted code, such as '123 456'. */
export const digitsOf = (text: string) => text.replace(/\D/g, '').slice(0, DIGITS);

/** Returns the code that the server has refused, or null. */
export const refusedCode = (call: { isError: boolean; variables: string | undefined }) =>
  call.isError ? (call.variables ?? null) : null;

/** A field for a mailed code, which phones and password managers can fill in. */
export function CodeField({
  label,
  value,
  onValue,
  onComplete,
  refused = null,
  help,
  ...mail
}: Mail & {
  label: string;
  value: string;
  onValue: (value: string) => void;
  /** Called after the sixth digit, for forms that submit by themselves. */
  onComplete?: (value: string) => void;
  /** The code that was refused. It is selected, so that typing replaces it. */
  refused?: string | null;
  help: string;
}) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  // The layout effect selects the code in the same frame as the error appears. If the user has already
  // changed the code, it is not selected.
  useLayoutEffect(() => {
    if (refused !== null && input.current?.value === refused) input.current.select();
  }, [refused]);
  return (
    <Field label={label} help={<MailStatus {...mail} help={help} />}>
      {(described) => (
        <input
          {...described}
          ref={input}
          className="input numbers h-12 w-full text-center font-mono text-xl tracking-[0.4em]"
          inputMode="numeric"
          autoComplete="one-time-code"
          pattern="[0-9]{6}"
          title="The 6 digits of the code"
          required
          value={value}
          onChange={(event) => {
            const digits = digitsOf(event.target.value);
            onValue(digits);
            if (digits.length === DIGITS && digits !== value) onComplete?.(digits);
          }}
        />
      )}
    </Field>
  );
}

/** The mail with a code. */
type Mail = { email: string; purpose: Purpose | Confirmation };

const mailStatusKey = ({ purpose, email }: Mail) => ['mail-status', purpose, email];

/**
 * The help of the field, or that the mail could not be delivered, which takes its place, so that the buttons below
 * stay where they are.
 */
function MailStatus({ help, ...mail }: Mail & { help: string }) {
  const { data: failed } = useQuery({
    queryKey: mailStatusKey(mail),
    queryFn: () => mailFailure(mail.email, mail.purpose),
    refetchInterval: MAIL_STATUS_INTERVAL_MS,
    retry: false,
  });
  return (
    <>
      {!failed && help}
      <span role="status" className="flex gap-1.5 text-warning">
        {failed && (
          <>
            <MailWarning size={16} aria-hidden className="shrink-0" />
            {failed}
          </>
        )}
      </span>
    </>
  );
}

/** The specification's toast for a new code. */
export const newCodeSent = (email: string) => `New code sent to ${email}.`;

/**
 * Mails a new code, which replaces the last one, and resets the status of the last mail.
 * @param props.toastText the text of the toast
 */
export function ResendCode({
  email,
  purpose,
  toastText,
  send,
  onSent,
}: {
  email: string;
  purpose: Purpose | Confirmation;
  toastText: string;
  send: () => Promise<unknown>;
  onSent: () => void;
}) {
  const client = useQueryClient();
  const resend = useMutation({
    mutationFn: send,
    onSuccess: () => {
      onSent();
      notify.success(toastText);
      void client.resetQueries({ queryKey: mailStatusKey({ purpose, email }) });
    },
  });
  const start = useSingleAction(resend.isPending);
  return (
    <button
      type="button"
      className={`${quietLink} aria-disabled:text-quiet`}
      aria-disabled={resend.isPending}
      onClick={() => {
        if (start()) resend.mutate();
      }}
    >
      Resend code
    </button>
  );
}
