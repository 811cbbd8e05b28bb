import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../ui/form/button.tsx';
import type { Confirmation } from '../account-calls.ts';
import { quietLink } from '../card.tsx';
import { CodeField, newCodeSent, ResendCode, refusedCode } from '../sign-in/code-field.tsx';

/**
 * A change that is confirmed with a mailed code, which is requested first and then entered.
 * @returns `codeStep` are the props of PanelCode, or null before the code was sent
 */
export function useCodedChange({
  send,
  change,
  onChanged,
}: {
  /** Mails the code. */
  send: () => Promise<unknown>;
  change: (code: string) => Promise<unknown>;
  onChanged: () => Promise<unknown>;
}) {
  const [isCodeRequested, setCodeRequested] = useState(false);
  const request = useMutation({ mutationFn: send, onSuccess: () => setCodeRequested(true) });
  const finish = useMutation({
    mutationFn: change,
    onSuccess: () => {
      setCodeRequested(false);
      return onChanged();
    },
  });
  const onBack = () => {
    finish.reset();
    setCodeRequested(false);
  };
  return { request, codeStep: isCodeRequested ? { finish, send, onBack } : null };
}

/** The form for the code that was mailed to `email` to confirm a change. */
export function PanelCode({
  email,
  purpose,
  finish,
  send,
  onBack,
}: {
  email: string;
  purpose: Confirmation;
  finish: {
    mutate: (code: string) => void;
    isPending: boolean;
    isError: boolean;
    variables: string | undefined;
  };
  /** Mails another code. */
  send: () => Promise<unknown>;
  onBack: () => void;
}) {
  const [code, setCode] = useState('');
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        finish.mutate(code);
      }}
    >
      <p>
        We sent a 6-digit code to <b className="font-medium wrap-anywhere">{email}</b>.
      </p>
      <div className="max-w-80">
        <CodeField
          label="Code"
          value={code}
          onValue={setCode}
          refused={refusedCode(finish)}
          email={email}
          purpose={purpose}
          help="It expires in 10 minutes. Can’t find it? Check your spam folder."
        />
      </div>
      <div className="flex flex-wrap items-center justify-between gap-4">
        <Button type="submit" className="btn-primary" pending={finish.isPending}>
          Submit
        </Button>
        <span className="flex gap-4">
          <button type="button" className={quietLink} onClick={onBack}>
            Change it
          </button>
          <ResendCode
            email={email}
            purpose={purpose}
            toastText={newCodeSent(email)}
            send={send}
            onSent={() => setCode('')}
          />
        </span>
      </div>
    </form>
  );
}
