import type { ReactNode } from 'react';
import { CopyButton } from '../../../islands/ui/copy-button.tsx';
import { CodeText } from '../../web/code/code-text.tsx';
import { type Highlight, loadHighlight } from '../../web/code/highlight.ts';

/** A link to another page of the guide, or to a section of it. */
const PAGE = /^([a-z0-9-]+)\.md(#.*)?$/;

export type Article = {
  html: string;
  /** The headings of the second level, for the list of sections. */
  sections: { id: string; text: string }[];
};

/**
 * Renders a text of the guide. HTML in it is shown as text, because React escapes everything.
 * Throws for a link that is not allowed.
 */
export async function renderMarkdown(text: string): Promise<Article> {
  const { renderToStaticMarkup } = await import('react-dom/server');
  const highlight = await loadHighlight();
  const sections: Article['sections'] = [];
  const components = {
    h2: ({ id = '', children }: HeadingProps) => {
      sections.push({ id, text: textOf(children) });
      return (
        <h2 id={id}>
          <Anchor id={id}>{children}</Anchor>
        </h2>
      );
    },
    h3: ({ id = '', children }: HeadingProps) => (
      <h3 id={id}>
        <Anchor id={id}>{children}</Anchor>
      </h3>
    ),
    a: Link,
    pre: codeWith(highlight),
    table: Table,
  };
  const elements = Bun.markdown.react(text, components, {
    headings: { ids: true },
    noHtmlBlocks: true,
    noHtmlSpans: true,
    noIndentedCodeBlocks: true,
  });
  const html = renderToStaticMarkup(elements);
  return { html, sections };
}

type HeadingProps = { id?: string; children?: ReactNode };

function Anchor({ id, children }: { id: string; children?: ReactNode }) {
  return <a href={`#${id}`}>{children}</a>;
}

function Link({ href = '', children }: { href?: string; children?: ReactNode }) {
  return <a href={guideHref(href)}>{children}</a>;
}

/** The language of a code block with output, as opposed to input. */
const OUTPUT = 'output';

const codeWith = (highlight: Highlight) => (block: { language?: string; children?: ReactNode }) => (
  <Code {...block} highlight={highlight} />
);

function Code({
  language = '',
  children,
  highlight,
}: {
  language?: string;
  children?: ReactNode;
  highlight: Highlight;
}) {
  const text = textOf(children).trimEnd();
  if (language === OUTPUT) {
    return (
      <div className="guide-code guide-answer">
        <pre>
          <code>{text}</code>
        </pre>
      </div>
    );
  }
  return (
    <div className="guide-code">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways, so keys must reach it */}
      <pre tabIndex={0}>
        <CodeText code={text} language={language} highlight={highlight} />
      </pre>
      <div className="guide-copy">
        <CopyButton text={text} label="Copy the code" />
      </div>
    </div>
  );
}

function Table({ children }: { children?: ReactNode }) {
  return (
    <div className="guide-table">
      <table>{children}</table>
    </div>
  );
}

/** Returns the text of a React node. */
function textOf(node: ReactNode): string {
  if (Array.isArray(node)) return node.map(textOf).join('');
  if (typeof node === 'string' || typeof node === 'number') return String(node);
  const inner = (node as { props?: { children?: ReactNode } } | null)?.props?.children;
  return inner === undefined ? '' : textOf(inner);
}

/**
 * Returns the `href` of a link in a text of the guide: `tokens.md#rolling` becomes
 * `/docs/tokens#rolling`, and a path, an anchor, an https URL or an email address stays as it is. Throws for any
 * other target, so that no page has a `javascript:` URL or a misspelt file.
 */
export function guideHref(target: string): string {
  const [, slug, anchor = ''] = PAGE.exec(target) ?? [];
  if (slug) return `/docs/${slug}${anchor}`;
  if (/^(#|\/(?!\/)|https:\/\/|mailto:)/.test(target)) return target;
  throw new Error(
    `A link leads to ${target}, which is not a page, path, https URL or email address.`,
  );
}
