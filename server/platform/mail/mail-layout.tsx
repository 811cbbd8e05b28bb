import type { CSSProperties } from 'react';
import type { LaidOutMail, Mail, MailContent } from './port.ts';

/** Lays out a mail as text; all mails have this layout. Its HTML is rendered when it is sent. */
export function layOut(content: MailContent): LaidOutMail {
  const { to, subject, lead, code, link, rest } = content;
  const middle = [code && String(code), link && `${link.label}: ${link.url}`].filter(Boolean);
  const text = [lead, ...middle, rest, 'Wharf'].join('\n\n');
  return { to, subject, text, content };
}

/** Returns a mail with its HTML. Mails that an earlier version has queued have it already. */
export async function renderMail({ content, ...mail }: LaidOutMail): Promise<Mail> {
  if (!content) return mail;
  const { renderToStaticMarkup } = await import('react-dom/server');
  return { ...mail, html: `<!doctype html>${renderToStaticMarkup(<MailPage {...content} />)}` };
}

function MailPage({ subject, lead, code, link, rest }: MailContent) {
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>{subject}</title>
      </head>
      <body style={STYLES.page}>
        <table role="presentation" align="center" width="100%" style={STYLES.card}>
          <tbody>
            <tr>
              <td style={{ padding: 32 }}>
                <p style={STYLES.name}>Wharf</p>
                <p style={STYLES.line}>{lead}</p>
                {code && <p style={STYLES.code}>{code}</p>}
                {link && (
                  <p style={STYLES.line}>
                    <a href={link.url} style={STYLES.button}>
                      {link.label}
                    </a>
                  </p>
                )}
                <p style={STYLES.rest}>{rest}</p>
              </td>
            </tr>
          </tbody>
        </table>
      </body>
    </html>
  );
}

/** The styles are inline, because many mail clients ignore style sheets. */
const STYLES = {
  page: {
    margin: 0,
    padding: '32px 16px',
    background: '#f7f8fa',
    color: '#121a24',
    font: '16px/1.5 Inter,system-ui,sans-serif',
  },
  card: {
    maxWidth: 480,
    borderCollapse: 'separate',
    background: '#ffffff',
    border: '1px solid #dfe4ea',
    borderRadius: 8,
  },
  name: { margin: '0 0 24px', fontWeight: 600 },
  line: { margin: '0 0 16px' },
  code: {
    margin: '0 0 16px',
    font: "600 32px/1.25 'JetBrains Mono',ui-monospace,monospace",
    letterSpacing: 4,
  },
  button: {
    display: 'inline-block',
    padding: '10px 16px',
    borderRadius: 6,
    background: '#c24614',
    color: '#ffffff',
    textDecoration: 'none',
  },
  rest: { margin: 0, color: '#5a6875', fontSize: 14 },
} satisfies Record<string, CSSProperties>;
