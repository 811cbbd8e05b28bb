import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { logout } from '../auth.ts';
import { endSession } from '../session.ts';
import { Button } from '../ui/button.tsx';
import { CodeField } from '../ui/code-field.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Panel } from '../ui/panel.tsx';
import { lossText } from './loss.ts';
import { MailStatus } from './mail-status.tsx';
import { deleteAccount, getLoss, sendCode } from './profile-calls.ts';

/** The end of the account: it says what is lost, and asks for the code that was mailed. */
export function DangerZone({ email }: { email: string }) {
  const [open, setOpen] = useState(false);
  const [code, setCode] = useState('');

  const request = useMutation({
    mutationFn: async () => {
      const loss = await getLoss();
      await sendCode({ subject: 'delete-account' });
      return loss;
    },
    onSuccess: () => {
      setCode('');
      setOpen(true);
    },
  });
  const finish = useMutation({
    mutationFn: () => deleteAccount(code),
    onSuccess: async () => {
      await endSession('/');
      logout();
    },
  });
  const busy = finish.isPending || finish.isSuccess;
  const close = () => {
    setOpen(false);
    finish.reset();
  };

  return (
    <>
      <Panel
        danger
        title="Danger Zone"
        text="Deleting the account wipes its buckets, files and sessions. Nothing brings them back."
        action={
          <Button
            className="btn-outline btn-error"
            pending={request.isPending}
            onClick={() => request.mutate()}
          >
            Delete Account
          </Button>
        }
      />
      <Dialog
        open={open}
        locked={busy}
        title="Delete Account"
        text={`All data will be wiped${request.data ? `: ${lossText(request.data)}` : ''}. A positive balance is lost.`}
        onClose={close}
      >
        <form
          className="flex flex-col gap-5"
          onSubmit={(event) => {
            event.preventDefault();
            finish.mutate();
          }}
        >
          <CodeField
            label="Code"
            value={code}
            onValue={setCode}
            wrong={finish.isError}
            help={`We sent a 6-digit code to ${email}. It may be in the spam folder.`}
          />
          <MailStatus email={email} purpose="delete-account" />
          <div className="flex justify-end gap-2">
            <Button className="btn-ghost" disabled={busy} onClick={close}>
              Cancel
            </Button>
            <Button type="submit" className="btn-error" pending={busy}>
              Delete
            </Button>
          </div>
        </form>
      </Dialog>
    </>
  );
}
