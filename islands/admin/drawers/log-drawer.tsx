import { AUDIT_SECTIONS } from '../../../server/contract/audit.ts';
import type { AdminLogWire } from '../../../server/contract/wire.ts';
import { Time } from '../../ui/date/time.tsx';
import { Code, Drawer, Fact, Facts } from '../../ui/dialog/drawer.tsx';

const ACTORS = { user: 'Unknown', key: 'An API key or token', system: 'The server' };

/** Returns the name of an actor: the address of then, which is not kept when the account is deleted. */
export const actorName = ({ kind, user }: AdminLogWire['actor']): string =>
  user ? (user.email ?? 'A deleted account') : ACTORS[kind];

/** The details of a log entry, in a drawer that is closed while there is none. */
export function LogDrawer({ entry, onClose }: { entry: AdminLogWire | null; onClose: () => void }) {
  return (
    <Drawer open={entry !== null} title="Log entry" onClose={onClose}>
      {entry && (
        <div className="flex flex-col gap-6 p-5">
          <p className="font-medium wrap-anywhere">{entry.message}</p>
          <Facts>
            <Fact name="Created at">
              <Time iso={entry.date} withTime />
            </Fact>
            <Fact name="Section">{AUDIT_SECTIONS[entry.section]}</Fact>
            <Fact name="Action">
              <code className="font-mono text-xs">{entry.action}</code>
            </Fact>
            <Fact name="By">
              {entry.actor.user?.email ? (
                <a className="link" href={`/admin/users?user=${entry.actor.user.id}`}>
                  {entry.actor.user.email}
                </a>
              ) : (
                actorName(entry.actor)
              )}
            </Fact>
            {entry.actor.key_id && (
              <Fact name="API key">
                <Code text={entry.actor.key_id} label="Copy the ID of the API key" />
              </Fact>
            )}
            {entry.subject_email && <Fact name="Account">{entry.subject_email}</Fact>}
            {entry.subject && (
              <Fact name="About">
                <Code text={entry.subject} label="Copy the ID of what it is about" />
              </Fact>
            )}
            {Object.entries(entry.details).map(([name, value]) => (
              <Fact key={name} name={name.charAt(0).toUpperCase() + name.slice(1)}>
                <code className="font-mono text-xs">{String(value)}</code>
              </Fact>
            ))}
            <Fact name="ID">
              <Code text={entry.id} label="Copy the ID" />
            </Fact>
          </Facts>
        </div>
      )}
    </Drawer>
  );
}
