import type { Mail } from '../../platform/mail/port.ts';

export type MailContent = {
  to: string;
  subject: string;
  lead: string;
  code?: number;
  link?: { label: string; url: string };
  rest: string;
};

/** The one layout of all mails, as text and as HTML; styles inline, as mail programs want them. */
export function layOut({ to, subject, lead, code, link, rest }: MailContent): Mail {
  const middle = [code && String(code), link && `${link.label}: ${link.url}`].filter(Boolean);
  const text = [lead, ...middle, rest, 'Wharf'].join('\n\n');
  const html = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${Bun.escapeHTML(subject)}</title></head>
<body style="margin:0;padding:32px 16px;background:#f7f8fa;color:#121a24;font:16px/1.5 Inter,system-ui,sans-serif">
<table role="presentation" align="center" width="100%" style="max-width:480px;border-collapse:separate;background:#ffffff;border:1px solid #dfe4ea;border-radius:8px">
<tr><td style="padding:32px">
<p style="margin:0 0 24px;font-weight:600">Wharf</p>
<p style="margin:0 0 16px">${Bun.escapeHTML(lead)}</p>
${code ? `<p style="margin:0 0 16px;font:600 32px/1.25 'JetBrains Mono',ui-monospace,monospace;letter-spacing:4px">${code}</p>` : ''}
${link ? `<p style="margin:0 0 16px"><a href="${Bun.escapeHTML(link.url)}" style="display:inline-block;padding:10px 16px;border-radius:6px;background:#c24614;color:#ffffff;text-decoration:none">${Bun.escapeHTML(link.label)}</a></p>` : ''}
<p style="margin:0;color:#5a6875;font-size:14px">${Bun.escapeHTML(rest)}</p>
</td></tr></table></body></html>`;
  return { to, subject, text, html };
}
