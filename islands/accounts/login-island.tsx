import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { signIn } from '../auth.ts';
import { notify } from '../notify.ts';
import { leaveToast } from '../parting-toast.ts';
import { Button } from '../ui/button.tsx';
import { PasswordField } from '../ui/password-field.tsx';
import { TextField } from '../ui/text-field.tsx';
import { login, requestLoginCode, resendCode } from './calls.ts';
import { AccountCard, quietLink } from './card.tsx';
import { CodeStep } from './code-step.tsx';

/** Logging in: email and password first, then the code that was mailed. */
export default function LoginIsland() {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [step, setStep] = useState<'credentials' | 'code'>('credentials');

  const request = useMutation({
    mutationFn: () => requestLoginCode(email, password),
    onSuccess: () => setStep('code'),
  });
  const resend = useMutation({
    mutationFn: () => resendCode(email, 'login'),
    onSuccess: () => notify.success(`New token sent to your email ${email}.`),
  });
  const finish = useMutation({
    mutationFn: (code: string) => login(email, password, code),
    onSuccess: (session) => {
      signIn(session);
      leaveToast({ kind: 'success', text: `Welcome back ${session.email}!` });
      location.assign('/dashboard');
    },
  });

  const links = (
    <>
      <a href="/signup" className={quietLink}>
        Sign up
      </a>
      <a href="/" className={quietLink}>
        Home
      </a>
    </>
  );

  if (step === 'code') {
    return (
      <CodeStep
        title="Enter your code"
        text={
          <>
            We sent a 6-digit code to <b className="font-medium text-base-content">{email}</b>.
          </>
        }
        action="Login"
        finishing={finish.isPending || finish.isSuccess}
        onFinish={finish.mutate}
        resending={resend.isPending}
        onResend={resend.mutate}
        back="Login form"
        onBack={() => setStep('credentials')}
        links={links}
      />
    );
  }

  return (
    <AccountCard title="Log in" text="With your email and password. A code follows." links={links}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          request.mutate();
        }}
      >
        <TextField
          label="Email"
          type="email"
          autoComplete="email"
          required
          value={email}
          onValue={setEmail}
        />
        <PasswordField
          label="Password"
          autoComplete="current-password"
          value={password}
          onValue={setPassword}
        />
        <Button type="submit" className="btn-primary mt-2" pending={request.isPending}>
          Login
        </Button>
      </form>
    </AccountCard>
  );
}
