import { logout } from '../auth.ts';
import { endSession } from '../session.ts';
import { Deletion } from './deletion.tsx';
import { lossText } from './loss.ts';
import { deleteAccount, getLoss } from './profile-calls.ts';

/** The end of the account. */
export function DangerZone({ email }: { email: string }) {
  return (
    <Deletion
      name="Delete Account"
      text="Deleting the account wipes its buckets, files and sessions. Nothing brings them back."
      purpose="delete-account"
      email={email}
      getLoss={getLoss}
      describe={(loss) =>
        `All data will be wiped${loss ? `: ${lossText(loss)}` : ''}. A positive balance is lost.`
      }
      remove={deleteAccount}
      leave={async () => {
        await endSession('/');
        logout();
      }}
    />
  );
}
