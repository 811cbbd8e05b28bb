import { type ReactNode, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { CodeField } from '../ui/code-field.tsx';
import { AccountCard, quietLink } from './card.tsx';

/** The second step: the code from the mail, a way to get another, a way back. */
export function CodeStep(props: {
  title: string;
  text: ReactNode;
  action: string;
  finishing: boolean;
  onFinish: (code: string) => void;
  resending: boolean;
  onResend: () => void;
  back: string;
  onBack: () => void;
  links: ReactNode;
}) {
  const [code, setCode] = useState('');
  return (
    <AccountCard title={props.title} text={props.text} links={props.links}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          props.onFinish(code);
        }}
      >
        <CodeField
          label="Code"
          value={code}
          onValue={setCode}
          help="It is valid for 10 minutes. If it does not arrive, look in the spam folder."
        />
        <Button type="submit" className="btn-primary mt-2" pending={props.finishing}>
          {props.action}
        </Button>
      </form>
      <div className="mt-4 flex items-center justify-between">
        <button type="button" className={quietLink} onClick={props.onBack}>
          {props.back}
        </button>
        <button
          type="button"
          className={`${quietLink} disabled:text-quiet`}
          disabled={props.resending}
          onClick={props.onResend}
        >
          Resend code
        </button>
      </div>
    </AccountCard>
  );
}
