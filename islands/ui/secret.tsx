import Eye from 'lucide-react/icons/eye';
import EyeOff from 'lucide-react/icons/eye-off';
import { type ReactNode, useEffect, useState } from 'react';
import { SECOND } from '../../server/contract/limits.ts';
import { CopyButton } from './copy-button.tsx';

const DOTS = '•'.repeat(24);

const REVEAL_DURATION_MS = 10 * SECOND;

/**
 * A masked secret, which can be shown for ten seconds, and copied without being shown. `prefix` is
 * visible while it is masked; `value` is null until it is loaded.
 */
export function Secret({
  label,
  prefix,
  value,
  children,
}: {
  label: string;
  prefix: string;
  value: string | null;
  /** Further actions on the secret. */
  children?: ReactNode;
}) {
  const { revealed, toggle } = useRevealed();
  const Icon = revealed ? EyeOff : Eye;
  const name = label.toLowerCase();

  return (
    <div className="flex flex-col gap-1.5">
      <p className="text-sm font-medium">{label}</p>
      <div className="flex flex-wrap items-center gap-2">
        <div className="flex h-9 min-w-0 grow basis-72 items-center gap-1 rounded-md border border-edge bg-base-100 pr-1 pl-3 max-sm:h-10 pointer-coarse:h-10">
          <code
            className={`min-w-0 grow font-mono text-xs ${revealed ? 'leading-4 wrap-anywhere' : 'truncate'}`}
          >
            {revealed && value ? value : prefix + DOTS}
          </code>
          <button
            type="button"
            className="btn btn-ghost btn-square btn-sm"
            aria-label={revealed ? `Hide ${name}` : `Show ${name}`}
            disabled={value === null}
            onClick={toggle}
          >
            <Icon size={16} aria-hidden />
          </button>
          <CopyButton text={value ?? ''} label={`Copy ${name}`} />
        </div>
        {children}
      </div>
    </div>
  );
}

/** The state of a secret that hides itself ten seconds after it was shown. */
export function useRevealed() {
  const [revealed, setRevealed] = useState(false);
  useEffect(() => {
    if (!revealed) return;
    const timer = setTimeout(() => setRevealed(false), REVEAL_DURATION_MS);
    return () => clearTimeout(timer);
  }, [revealed]);
  return { revealed, toggle: () => setRevealed(!revealed) };
}
