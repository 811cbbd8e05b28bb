/** Another text of the guide, or a part of it. */
const PAGE = /^([a-z0-9-]+)\.md(#.*)?$/;

/**
 * The `href` of a link in a text of the guide: `tokens.md#rolling` is `/docs/tokens#rolling`, a path
 * or a part of the same page stays as it is, https leads elsewhere. Throws on anything else, so that
 * no `javascript:` or misspelt file ever stands on a page.
 */
export function guideHref(target: string): string {
  const [, slug, anchor = ''] = PAGE.exec(target) ?? [];
  if (slug) return `/docs/${slug}${anchor}`;
  if (/^(#|\/(?!\/)|https:\/\/)/.test(target)) return target;
  throw new Error(`The guide links to ${target}, which is not a page, path or https URL.`);
}
