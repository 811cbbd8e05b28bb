import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import ShieldCheck from 'lucide-react/icons/shield-check';
import { useRef, useState } from 'react';
import { notify } from '../../runtime/notify.ts';
import { Time } from '../../ui/date/time.tsx';
import { ConfirmDialog, Subject } from '../../ui/dialog/dialog.tsx';
import { Button } from '../../ui/form/button.tsx';
import { Panel } from '../../ui/panel.tsx';
import {
  getTrustedBrowsers,
  removeTrustedBrowser,
  TRUSTED_BROWSERS_KEY,
  type TrustedBrowserRow,
} from '../account-calls.ts';
import { Place } from './place.tsx';

/** Lists the browsers that log in without a code, with buttons that end that. */
export function TrustedBrowsersPanel({ first }: { first: TrustedBrowserRow[] }) {
  const client = useQueryClient();
  const { data: rows } = useQuery({
    queryKey: TRUSTED_BROWSERS_KEY,
    queryFn: getTrustedBrowsers,
    initialData: first,
  });
  const [browserToRemove, setBrowserToRemove] = useState<TrustedBrowserRow | null>(null);
  const list = useRef<HTMLUListElement>(null);
  const removal = useMutation({
    mutationFn: removeTrustedBrowser,
    onSuccess: () => {
      setBrowserToRemove(null);
      notify.success('Browser removed.');
      return client.invalidateQueries({ queryKey: TRUSTED_BROWSERS_KEY });
    },
  });
  return (
    <Panel
      title="Trusted browsers"
      text="You can log in with these without a code. Changing your password or email address, or ending all other sessions, removes them."
    >
      <ul ref={list} tabIndex={-1} className="flush rows outline-none">
        {rows.length === 0 && (
          <li className="text-quiet">No trusted browsers. You can trust one when you log in.</li>
        )}
        {rows.map((browser) => (
          <BrowserItem
            key={browser.id}
            browser={browser}
            onRemove={() => setBrowserToRemove(browser)}
          />
        ))}
      </ul>
      <ConfirmDialog
        open={browserToRemove !== null}
        title="Remove trusted browser"
        text={
          browserToRemove && (
            <>
              <Subject>{browserToRemove.device}</Subject> ({browserToRemove.address}) will need a
              code at its next login. Sessions there go on until you end them.
            </>
          )
        }
        act="Remove"
        isPending={removal.isPending}
        after={list}
        onConfirm={() => browserToRemove && removal.mutate(browserToRemove.id)}
        onClose={() => setBrowserToRemove(null)}
      />
    </Panel>
  );
}

function BrowserItem({ browser, onRemove }: { browser: TrustedBrowserRow; onRemove: () => void }) {
  const { device, last_used, expires, current } = browser;
  return (
    <li className="flex items-center gap-3">
      <ShieldCheck size={16} aria-hidden className="shrink-0 text-quiet" />
      <div className="min-w-0 grow sm:grid sm:grid-cols-[1fr_10rem_14rem] sm:items-center sm:gap-4">
        <p className="min-w-0 font-medium">
          <span className="block truncate">{device}</span>
          {current && <span className="block text-xs font-normal text-success">This browser</span>}
        </p>
        <Place {...browser} />
        <p className="text-quiet">
          Last login <Time iso={last_used} withTime />
          <span className="block text-xs">
            Trusted until <Time iso={expires} />
          </span>
        </p>
      </div>
      <div className="flex shrink-0 justify-end sm:w-24">
        <Button className="btn-sm" aria-label={`Remove ${device}`} onClick={onRemove}>
          Remove
        </Button>
      </div>
    </li>
  );
}
