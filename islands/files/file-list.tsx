import { useMemo, useState } from 'react';
import { useSearchParams } from 'wouter';
import { MESSAGES } from '../../server/contract/messages.ts';
import type { FilePageWire } from '../../server/contract/wire.ts';
import { Button } from '../ui/form/button.tsx';
import { EmptyState } from '../ui/states.tsx';
import { FileFilters, type FileView, paramsOf, readView } from './file-filters.tsx';
import { FirstSteps } from './first-steps.tsx';
import { FoldersToggle } from './folders/folders-toggle.tsx';
import { ListBody, type ListProps } from './list-body.tsx';
import { useFiles } from './use-files.ts';

/** All files of a bucket with their filters, newest first. */
export function FileList({
  appUrl,
  rendered,
  ...shared
}: ListProps & {
  appUrl: string;
  /** The page of files that the document was rendered with, and its filters. */
  rendered: { page: FilePageWire; view: FileView };
}) {
  const [params, setParams] = useSearchParams();
  const view = readView(params);
  const change = (part: Partial<FileView>) => setParams(paramsOf({ ...view, ...part }));
  const [visibleRows, setVisibleRows] = useState<readonly [number, number]>([0, 0]);
  const list = useFiles(shared.bucketId, view, rendered, visibleRows);
  const pages = list.data?.pages;
  const files = useMemo(() => pages?.flatMap((page) => page.data) ?? [], [pages]);
  const isNarrowed = Object.keys(paramsOf(view)).length > 0;
  return (
    <>
      <FileFilters view={view} onChange={change}>
        <FoldersToggle isOn={false} onFolder={shared.onFolder} />
      </FileFilters>
      <ListBody
        {...shared}
        list={list}
        rows={files}
        listKey={JSON.stringify(paramsOf(view))}
        onVisibleRows={setVisibleRows}
        empty={
          isNarrowed ? (
            <EmptyState title={MESSAGES.noFiles} text="No file matches these filters.">
              <Button onClick={() => setParams({})}>Clear filters</Button>
            </EmptyState>
          ) : (
            <FirstSteps appUrl={appUrl} bucketId={shared.bucketId} />
          )
        }
      />
    </>
  );
}
