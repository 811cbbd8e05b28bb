import { formatBytes } from '../../../server/contract/units.ts';
import { Button } from '../../ui/form/button.tsx';
import { frame } from './frame.tsx';

/** Asks before a file is loaded for its preview, as each load counts as bandwidth. */
export const LoadPrompt = ({
  label,
  bytes,
  isPart = false,
  onLoad,
}: {
  label: string;
  bytes: number;
  /** Only the first bytes of the file are loaded. */
  isPart?: boolean;
  onLoad: () => void;
}) => (
  <div className={`flex flex-col items-center justify-center gap-2 ${frame}`}>
    <Button onClick={onLoad}>{label}</Button>
    <p className="numbers text-xs text-quiet">
      {isPart && 'The first '}
      {formatBytes(bytes)}, counts as bandwidth
    </p>
  </div>
);
