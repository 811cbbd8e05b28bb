import { type ReactNode, useState } from 'react';
import { Button } from '../../ui/form/button.tsx';
import { useSingleAction } from '../../ui/form/single-action.ts';
import { type Purpose, resendCode } from '../account-calls.ts';
import { AccountCard, quietLink } from '../card.tsx';
import { CodeField, ResendCode, refusedCode } from './code-field.tsx';

/** The step for entering the mailed code, with links to send a new one and to go back. */
export function CodeStep(props: {
  title: string;
  email: string;
  purpose: Purpose;
  action: string;
  finish: {
    mutate: (code: string) => void;
    isPending: boolean;
    isSuccess: boolean;
    isError: boolean;
    variables: string | undefined;
  };
  /** The text of the toast after 'Resend code'. */
  resent: string;
  back: string;
  onBack: () => void;
  links: ReactNode;
}) {
  const { email, purpose, finish } = props;
  const [code, setCode] = useState('');
  const busy = finish.isPending || finish.isSuccess;
  // The last digit submits the form, and so does Enter.
  const start = useSingleAction(busy);
  const submit = (fullCode: string) => {
    if (start()) finish.mutate(fullCode);
  };

  return (
    <AccountCard
      title={props.title}
      text={
        <>
          We sent a 6-digit code to{' '}
          <b className="font-medium wrap-anywhere text-base-content">{email}</b>.
        </>
      }
      links={props.links}
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          submit(code);
        }}
      >
        <CodeField
          label="Code"
          value={code}
          onValue={setCode}
          onComplete={submit}
          refused={refusedCode(finish)}
          email={email}
          purpose={purpose}
          help="It expires in 10 minutes. Can’t find it? Check your spam folder."
        />
        <Button type="submit" className="btn-primary" pending={busy}>
          {props.action}
        </Button>
      </form>
      <div className="mt-4 flex items-center justify-between">
        <button type="button" className={quietLink} onClick={props.onBack}>
          {props.back}
        </button>
        <ResendCode
          email={email}
          purpose={purpose}
          toastText={props.resent}
          send={() => resendCode(email, purpose)}
          onSent={() => setCode('')}
        />
      </div>
    </AccountCard>
  );
}
