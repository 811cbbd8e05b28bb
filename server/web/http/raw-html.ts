/**
 * Attributes that put text into an element as it is. The one door for unescaped HTML: what comes in
 * is React's own output, a fixed script, or `jsonForScript`.
 */
export const rawHtml = (html: string) => ({ dangerouslySetInnerHTML: { __html: html } });

/**
 * JSON that is safe inside a <script> element: without '<' no value can close the element or open a
 * comment (HTML Standard, "restrictions for contents of script elements").
 */
export const jsonForScript = (value: unknown) => JSON.stringify(value).replaceAll('<', '\\u003c');
