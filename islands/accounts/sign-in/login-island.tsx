import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { MESSAGES } from '../../../server/contract/messages.ts';
import { toReturnPath } from '../../../server/contract/return-path.ts';
import type { SessionWire } from '../../../server/contract/wire.ts';
import { isKeptPage } from '../../page/session-check.ts';
import { auth, logout, signIn } from '../../runtime/auth.ts';
import { setFlashMessage } from '../../runtime/flash-message.ts';
import { notify } from '../../runtime/notify.ts';
import { isExpired } from '../../runtime/session.ts';
import { Button } from '../../ui/form/button.tsx';
import { useFormError } from '../../ui/form/form-error.ts';
import { login, loginTrusted, requestLoginCode } from '../account-calls.ts';
import { AccountCard, QuietLink } from '../card.tsx';
import { EmailField, PasswordField } from './account-fields.tsx';
import { CodeStep } from './code-step.tsx';
import { TrustBrowser } from './trust-browser.tsx';

const LINKS = (
  <>
    <QuietLink href="/signup">Sign up</QuietLink>
    <QuietLink href="/">Home</QuietLink>
  </>
);

/** Opens the dashboard, or the page that the visitor came from, with a new session. */
function open(session: SessionWire, returnPath: string | null) {
  signIn(session);
  setFlashMessage({ kind: 'success', text: `Welcome back ${session.email}!` });
  location.assign(toReturnPath(returnPath) ?? '/dashboard');
}

/**
 * Logs in with email address and password, then with a mailed code, and opens the page that the visitor
 * was redirected from, if any.
 */
export default function LoginIsland({
  returnPath,
  trustDays,
  mayBeTrusted,
}: {
  returnPath: string | null;
  /** For how many days this browser can be trusted; 0 for never. */
  trustDays: number;
  /** Whether the browser has a cookie by which somebody trusts it. */
  mayBeTrusted: boolean;
}) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [step, setStep] = useState<'credentials' | 'code'>('credentials');
  useSessionNotice();

  const [trust, setTrust] = useState(false);
  const enter = (session: SessionWire) => open(session, returnPath);
  const request = useMutation({
    mutationFn: async () => {
      const session = mayBeTrusted ? await loginTrusted(email, password) : null;
      if (session === null) await requestLoginCode(email, password);
      return session;
    },
    onSuccess: (session) => (session ? enter(session) : setStep('code')),
  });
  const finish = useMutation({
    mutationFn: (code: string) => login({ email, password, code, trust }),
    onSuccess: enter,
  });

  const { error, clear } = useFormError(request);
  const changing = (set: (value: string) => void) => (value: string) => {
    clear();
    set(value);
  };
  if (step === 'code') {
    return (
      <CodeStep
        title="Enter your code"
        email={email}
        purpose="login"
        action="Login"
        finish={finish}
        resent={`New token sent to your email ${email}.`}
        back="Login form"
        onBack={() => {
          finish.reset();
          setStep('credentials');
        }}
        links={LINKS}
      />
    );
  }

  return (
    <AccountCard
      title="Log in"
      text="We’ll email you a 6-digit code after your password."
      links={LINKS}
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          request.mutate();
        }}
      >
        <EmailField value={email} onValue={changing(setEmail)} />
        <PasswordField
          label="Password"
          autoComplete="current-password"
          value={password}
          error={error}
          onValue={changing(setPassword)}
        />
        <p className="-mt-1 text-right">
          <QuietLink href="/forgot-password">Forgot your password?</QuietLink>
        </p>
        <TrustBrowser days={trustDays} value={trust} onValue={setTrust} />
        <Button
          type="submit"
          className="btn-primary"
          pending={request.isPending || Boolean(request.data)}
        >
          Login
        </Button>
      </form>
    </AccountCard>
  );
}

/**
 * Shows a toast if the session has expired or was ended elsewhere. The server has redirected to this page
 * without knowing why, because an expired cookie is not sent.
 */
function useSessionNotice() {
  useEffect(() => {
    if (!auth.isAuth) return;
    const hasExpired = isExpired(auth, Date.now());
    const hasCookie = document.documentElement.dataset.viewer !== undefined;
    // A kept page may be from before the login, and is reloaded.
    if (!hasExpired && (hasCookie || isKeptPage())) return;
    logout();
    notify.error(hasExpired ? MESSAGES.tokenExpired : 'Your session has ended. Log in again.');
  }, []);
}
