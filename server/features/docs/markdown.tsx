import type { ReactNode } from 'react';
import { CopyButton } from '../../../islands/ui/copy-button.tsx';

/** Another text of the guide, or a part of it. */
const PAGE = /^([a-z0-9-]+)\.md(#.*)?$/;

export type Article = {
  html: string;
  /** The headings of the second level, for the list at the side. */
  sections: { id: string; text: string }[];
};

/**
 * Renders a text of the guide. HTML in it is text; React escapes everything. Throws where a link
 * leads nowhere we allow.
 */
export async function renderMarkdown(text: string): Promise<Article> {
  const { renderToStaticMarkup } = await import('react-dom/server');
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
    pre: Code,
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

/** Of what a block shows, not what somebody types. */
const OUTPUT = 'output';

function Code({ language, children }: { language?: string; children?: ReactNode }) {
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
        <code>{text}</code>
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

/** The text in what React is to render. */
function textOf(node: ReactNode): string {
  if (Array.isArray(node)) return node.map(textOf).join('');
  if (typeof node === 'string' || typeof node === 'number') return String(node);
  const inner = (node as { props?: { children?: ReactNode } } | null)?.props?.children;
  return inner === undefined ? '' : textOf(inner);
}

/**
 * The `href` of a link in a text of the guide: `tokens.md#rolling` is `/docs/tokens#rolling`, a
 * path or a part of the same page stays as it is, https leads elsewhere. Throws on anything else,
 * so that no `javascript:` or misspelt file ever stands on a page.
 */
export function guideHref(target: string): string {
  const [, slug, anchor = ''] = PAGE.exec(target) ?? [];
  if (slug) return `/docs/${slug}${anchor}`;
  if (/^(#|\/(?!\/)|https:\/\/)/.test(target)) return target;
  throw new Error(`The guide links to ${target}, which is not a page, path or https URL.`);
}
