import { useState } from 'react';
import { CopyButton } from '../ui/copy-button.tsx';
import { Panel } from '../ui/panel.tsx';
import { clientSnippets } from './client-snippets.ts';

/** How clients are set up, one at a time. */
export function S3Snippets({ endpoint }: { endpoint: string }) {
  const snippets = clientSnippets(endpoint);
  const [client, setClient] = useState(snippets[0]?.client);
  const shown = snippets.find((snippet) => snippet.client === client);
  return (
    <Panel
      title="Set up a client"
      text="Replace the key and the bucket. Use a bucket’s S3 name from its settings, or its ID."
    >
      <fieldset className="flex flex-wrap gap-2">
        <legend className="sr-only">Client</legend>
        {snippets.map((snippet) => (
          <button
            key={snippet.client}
            type="button"
            aria-pressed={snippet.client === client}
            className="btn btn-sm aria-pressed:border-primary"
            onClick={() => setClient(snippet.client)}
          >
            {snippet.client}
          </button>
        ))}
      </fieldset>
      {shown && (
        <div className="mt-3 flex items-start gap-2 rounded border border-base-300 bg-base-100 py-2 pr-2 pl-3">
          <pre className="min-w-0 grow py-1.5 font-mono text-xs leading-5 whitespace-pre-wrap wrap-anywhere">
            <code>{shown.text}</code>
          </pre>
          <CopyButton text={shown.text} label={`Copy the setup of ${shown.client}`} />
        </div>
      )}
    </Panel>
  );
}
