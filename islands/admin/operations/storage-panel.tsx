import { formatBytes } from '../../../server/contract/units.ts';
import type { AdminJobsWire, AdminOperationsWire } from '../../../server/contract/wire.ts';
import { Time } from '../../ui/date/time.tsx';
import { Panel } from '../../ui/panel.tsx';

const ENGINES = { sqlite: 'SQLite', postgres: 'PostgreSQL' };
const STORAGES = { disk: 'This disk', s3: 'An S3 bucket' };
const NEARLY_FULL = 0.9;

/** The disk, the database, where files are, and when they were backed up last. */
export function StoragePanel({
  disk,
  operations: { database, storage, backup },
}: {
  disk: AdminJobsWire['disk'];
  operations: AdminOperationsWire;
}) {
  const used = disk.total > 0 ? 1 - disk.free / disk.total : 0;
  const isFull = used > NEARLY_FULL || disk.free < disk.reserve;
  return (
    <Panel title="Storage" text="The disk of DATA_DIR, the database, and the last backup.">
      <dl className="grid gap-x-6 gap-y-4 sm:grid-cols-3">
        <div className="sm:col-span-3">
          <dt className="text-quiet">Disk space left</dt>
          <dd className="numbers mt-1">
            <strong className="text-base font-semibold">{formatBytes(disk.free)}</strong>{' '}
            <span className="text-quiet">
              of {formatBytes(disk.total)}, {Math.round(used * 100)}% used
            </span>
            <progress
              aria-label="Disk space used"
              className={`progress mt-2 block ${isFull ? 'progress-error' : 'progress-primary'}`}
              value={used}
              max={1}
            />
          </dd>
        </div>
        <div>
          <dt className="text-quiet">Database</dt>
          <dd className="numbers mt-1">
            {formatBytes(database.bytes)}{' '}
            <span className="text-quiet">
              {ENGINES[database.engine]} {database.version}
            </span>
          </dd>
        </div>
        <div>
          <dt className="text-quiet">Files are stored in</dt>
          <dd className="mt-1">{STORAGES[storage]}</dd>
        </div>
        <div>
          <dt className="text-quiet">Last backup</dt>
          <dd className="mt-1">
            {backup ? <Time iso={backup} withTime /> : 'None by wharf backup'}
          </dd>
        </div>
      </dl>
    </Panel>
  );
}
