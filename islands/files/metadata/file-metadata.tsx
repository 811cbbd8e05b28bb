import { useState } from 'react';
import { useSearchParams } from 'wouter';
import type { FileDetailWire } from '../../../server/contract/wire.ts';
import { Button } from '../../ui/form/button.tsx';
import { Section } from '../file-facts.tsx';
import { layoutParamsOf, readView } from '../file-filters.tsx';
import { MetadataForm } from './metadata-form.tsx';
import { metadataFilter } from './texts.ts';

/** The texts that were added to a file, each of which lists the files that have it, and the form that changes them. */
export function FileMetadata({ bucketId, file }: { bucketId: string; file: FileDetailWire }) {
  const [isEditing, setIsEditing] = useState(false);
  const texts = Object.entries(file.metadata);
  return (
    <Section title="Metadata">
      {isEditing ? (
        <MetadataForm bucketId={bucketId} file={file} onDone={() => setIsEditing(false)} />
      ) : (
        <>
          {texts.length > 0 && <Texts texts={texts} />}
          <Button className="btn-sm" onClick={() => setIsEditing(true)}>
            {texts.length > 0 ? 'Edit metadata' : 'Add metadata'}
          </Button>
        </>
      )}
    </Section>
  );
}

function Texts({ texts }: { texts: [string, string][] }) {
  const [params, setParams] = useSearchParams();
  return (
    <dl className="mb-3">
      {texts.map(([name, value]) => {
        const metadata = metadataFilter(name, value);
        return (
          <div
            key={name}
            className="grid grid-cols-[minmax(0,1fr)_minmax(0,2fr)] gap-3 border-t border-base-300 py-1.5"
          >
            <dt className="text-quiet wrap-anywhere">{name}</dt>
            <dd className="wrap-anywhere">
              <a
                className="link-hover"
                title="Show the files with this text"
                href={`?${new URLSearchParams({ metadata })}`}
                onClick={(event) => {
                  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
                  event.preventDefault();
                  setParams({ metadata, ...layoutParamsOf(readView(params)) });
                }}
              >
                {value || 'Empty'}
              </a>
            </dd>
          </div>
        );
      })}
    </dl>
  );
}
