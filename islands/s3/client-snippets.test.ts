import { expect, test } from 'bun:test';
import { clientSnippets } from './client-snippets.ts';

test('every client is set up with the endpoint', () => {
  const snippets = clientSnippets('https://s3.example.com');
  const names = ['AWS CLI', 'rclone', 'boto3', 'Terraform', 's3cmd', 'restic', 'Cyberduck'];
  expect(snippets.map(({ client }) => client)).toEqual(names);
  for (const { text } of snippets) {
    expect(text).toContain('s3.example.com');
    expect(text).toContain('ACCESS_KEY_ID');
    expect(text).toContain('SECRET_ACCESS_KEY');
  }
});

test('clients that use no path in an endpoint are left out where it has one', () => {
  const names = clientSnippets('https://example.com/s3').map(({ client }) => client);
  expect(names).toEqual(['AWS CLI', 'rclone', 'boto3', 'Terraform']);
});

test('an endpoint without TLS keeps its port', () => {
  const [s3cmd, , cyberduck] = clientSnippets('http://localhost:9000').slice(-3);
  expect(s3cmd?.text).toContain('host_base = localhost:9000');
  expect(s3cmd?.text).toContain('use_https = False');
  expect(cyberduck?.text).toContain('Amazon S3 (HTTP)');
  expect(cyberduck?.text).toContain('Port: 9000');
});
