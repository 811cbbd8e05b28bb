/**
 * Returns the props that put HTML into an element without escaping. All unescaped HTML passes here:
 * it is the output of React, a constant script, or the result of `jsonForScript`.
 */
export const rawHtml = (html: string) => ({ dangerouslySetInnerHTML: { __html: html } });

/**
 * Returns JSON that is safe inside a <script> element. Without '<' no value can close the element
 * or open a comment (HTML Standard, "restrictions for contents of script elements").
 */
export const jsonForScript = (value: unknown) => JSON.stringify(value).replaceAll('<', '\\u003c');
