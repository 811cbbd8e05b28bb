import type { BucketSourceWire } from '../../../server/contract/wire.ts';
import { Button } from '../../ui/form/button.tsx';
import { excludedText, sourceText } from './import-texts.ts';
import type { useBucketSource } from './use-bucket-source.ts';

/** From where missing files are fetched, and why the last one could not be. */
export function SourceState({
  source,
  remove,
  clear,
}: { source: BucketSourceWire } & Pick<ReturnType<typeof useBucketSource>, 'remove' | 'clear'>) {
  return (
    <section className="flex flex-col gap-2" aria-label="Source of missing files">
      <div className="flex items-center gap-2">
        <p className="min-w-0 font-medium wrap-anywhere">{sourceText(source)}</p>
        <Button
          className="btn-sm ml-auto"
          pending={remove.isPending}
          onClick={() => remove.mutate()}
        >
          Stop fetching
        </Button>
      </div>
      {source.excluded > 0 && (
        <div className="flex items-center gap-2">
          <p className="min-w-0 text-pretty">{excludedText(source.excluded)}</p>
          <Button
            className="btn-sm ml-auto"
            pending={clear.isPending}
            onClick={() => clear.mutate()}
          >
            Fetch them again
          </Button>
        </div>
      )}
      {source.error && (
        <p className="text-pretty text-warning">
          The last file could not be fetched. {source.error}
        </p>
      )}
    </section>
  );
}
