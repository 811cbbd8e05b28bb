import { curlLines, EXAMPLE_FILE, type ExampleRequest, requestOf } from './example.ts';
import type { Operation } from './openapi.ts';

/** The languages of the reference's samples, in the order of its choice. */
export const LANGUAGES = [
  { language: 'curl', label: 'curl' },
  { language: 'js', label: 'JavaScript' },
  { language: 'python', label: 'Python' },
  { language: 'php', label: 'PHP' },
];

/** Returns the sample of a call in each language, and the text that its copy button copies. */
export function samplesOf(operation: Operation, server: string | null) {
  const lines = curlLines(operation, server);
  const request = requestOf(operation, server);
  const programs = { js: javaScript(request), python: python(request), php: php(request) };
  return [
    { language: 'curl', code: lines.join(' \\\n  '), copied: lines.join(' ') },
    ...Object.entries(programs).map(([language, code]) => ({ language, code, copied: code })),
  ];
}

const text = (value: string) => JSON.stringify(value);

/** Returns all headers: the given ones, who the caller is, and the type of a body that needs one. */
function headersOf({ bearer, headers, body }: ExampleRequest): [string, string][] {
  const type = body?.kind === 'json' ? 'application/json' : body?.kind === 'file' && body.type;
  return [
    ...(bearer ? [['Authorization', `Bearer ${bearer}`] as [string, string]] : []),
    ...headers,
    ...(type ? [['Content-Type', type] as [string, string]] : []),
  ];
}

function javaScript(request: ExampleRequest): string {
  const { method, url, body } = request;
  const isFile = body?.kind === 'file' || (body?.kind === 'form' && body.fields.some(hasFile));
  const fields = body?.kind === 'form' ? body.fields : [];
  const headers = headersOf(request).map(([name, value]) => `${text(name)}: ${text(value)}`);
  const content = {
    form: 'form',
    file: `await openAsBlob(${text(EXAMPLE_FILE)})`,
    json: body?.kind === 'json' ? `JSON.stringify(${JSON.stringify(body.value)})` : '',
  };
  return [
    ...(isFile ? ['import { openAsBlob } from "node:fs";', ''] : []),
    ...(body?.kind === 'form' ? ['const form = new FormData();'] : []),
    ...fields.map(({ name, value, isFile }) =>
      isFile
        ? `form.append(${text(name)}, await openAsBlob(${text(value)}), ${text(value)});`
        : `form.append(${text(name)}, ${text(value)});`,
    ),
    `const response = await fetch(${text(url)}, {`,
    `  method: ${text(method)},`,
    ...(headers.length > 0 ? [`  headers: { ${headers.join(', ')} },`] : []),
    ...(body ? [`  body: ${content[body.kind]},`] : []),
    '});',
    'console.log(response.status, await response.text());',
  ].join('\n');
}

const hasFile = ({ isFile }: { isFile: boolean }) => isFile;

function python(request: ExampleRequest): string {
  const { method, url, body } = request;
  const headers = headersOf(request).map(([name, value]) => `${text(name)}: ${text(value)}`);
  const fields = body?.kind === 'form' ? body.fields : [];
  const pairs = (isFile: boolean) =>
    fields
      .filter((field) => field.isFile === isFile)
      .map(
        ({ name, value }) =>
          `${text(name)}: ${isFile ? `open(${text(value)}, "rb")` : text(value)}`,
      )
      .join(', ');
  const forms = [
    ['data', pairs(false)],
    ['files', pairs(true)],
  ].filter(([, list]) => list);
  return [
    'import requests',
    '',
    'response = requests.request(',
    `    ${text(method)},`,
    `    ${text(url)},`,
    ...(headers.length > 0 ? [`    headers={${headers.join(', ')}},`] : []),
    ...forms.map(([name, list]) => `    ${name}={${list}},`),
    ...(body?.kind === 'file' ? [`    data=open(${text(EXAMPLE_FILE)}, "rb"),`] : []),
    ...(body?.kind === 'json' ? [`    json=${pythonValue(body.value)},`] : []),
    ')',
    'print(response.status_code, response.text)',
  ].join('\n');
}

function pythonValue(value: unknown): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(pythonValue).join(', ')}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  const pairs = Object.entries(value).map(([key, one]) => `${text(key)}: ${pythonValue(one)}`);
  return `{${pairs.join(', ')}}`;
}

const phpText = (value: string) => `'${value.replace(/[\\']/g, '\\$&')}'`;

function php(request: ExampleRequest): string {
  const { method, url, body } = request;
  const headers = headersOf(request).map(([name, value]) => phpText(`${name}: ${value}`));
  const fields = body?.kind === 'form' ? body.fields : [];
  const pairs = fields.map(
    ({ name, value, isFile }) =>
      `${phpText(name)} => ${isFile ? `new CURLFile(${phpText(value)})` : phpText(value)}`,
  );
  const content = {
    form: `[${pairs.join(', ')}]`,
    file: `file_get_contents(${phpText(EXAMPLE_FILE)})`,
    json: body?.kind === 'json' ? phpText(JSON.stringify(body.value)) : '',
  };
  return [
    '<?php',
    `$curl = curl_init(${phpText(url)});`,
    'curl_setopt_array($curl, [',
    `    CURLOPT_CUSTOMREQUEST => ${phpText(method)},`,
    ...(headers.length > 0 ? [`    CURLOPT_HTTPHEADER => [${headers.join(', ')}],`] : []),
    ...(body ? [`    CURLOPT_POSTFIELDS => ${content[body.kind]},`] : []),
    '    CURLOPT_RETURNTRANSFER => true,',
    ']);',
    '$body = curl_exec($curl);',
    'echo curl_getinfo($curl, CURLINFO_RESPONSE_CODE), " ", $body;',
  ].join('\n');
}
