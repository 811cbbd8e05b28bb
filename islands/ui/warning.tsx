import TriangleAlert from 'lucide-react/icons/triangle-alert';
import type { ReactNode } from 'react';

/** A box that says what needs the owner's attention. */
export function Warning({ children }: { children: ReactNode }) {
  return (
    <div className="flex gap-2.5 rounded-md border border-warning p-3">
      <TriangleAlert size={16} aria-hidden className="mt-0.5 shrink-0 text-warning" />
      <p className="min-w-0">{children}</p>
    </div>
  );
}
