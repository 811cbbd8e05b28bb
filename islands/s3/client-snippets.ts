/** How one client is set up: a command or a file. */
export type ClientSnippet = { client: string; text: string };

/** What stands for the key where it isn't known, and for the bucket. */
const ACCESS_KEY_ID = 'ACCESS_KEY_ID';
const SECRET = 'SECRET_ACCESS_KEY';

/** Returns how clients are set up for the S3 API at a URL. Some can't use one with a path. */
export function clientSnippets(endpoint: string): ClientSnippet[] {
  const { host, hostname, port, protocol, pathname } = new URL(endpoint);
  const isSecure = protocol === 'https:';
  const rooted = [
    {
      client: 's3cmd',
      text: lines(
        ...[`access_key = ${ACCESS_KEY_ID}`, `secret_key = ${SECRET}`],
        ...[`host_base = ${host}`, `host_bucket = ${host}`],
        `use_https = ${isSecure ? 'True' : 'False'}`,
      ),
    },
    {
      client: 'restic',
      text: lines(
        `export AWS_ACCESS_KEY_ID=${ACCESS_KEY_ID} AWS_SECRET_ACCESS_KEY=${SECRET}`,
        `restic -r s3:${endpoint}/BUCKET init`,
      ),
    },
    {
      client: 'Cyberduck',
      text: lines(
        `Protocol: Amazon S3${isSecure ? '' : ' (HTTP)'}`,
        ...[`Server: ${hostname}`, `Port: ${port || (isSecure ? '443' : '80')}`],
        ...[`Access Key ID: ${ACCESS_KEY_ID}`, `Secret Access Key: ${SECRET}`, 'Path: BUCKET'],
      ),
    },
  ];
  return [...libraries(endpoint), ...(pathname === '/' ? rooted : [])];
}

const libraries = (endpoint: string): ClientSnippet[] => [
  {
    client: 'AWS CLI',
    text: lines(
      `export AWS_ACCESS_KEY_ID=${ACCESS_KEY_ID} AWS_SECRET_ACCESS_KEY=${SECRET}`,
      `export AWS_ENDPOINT_URL_S3=${endpoint} AWS_REGION=us-east-1`,
      'aws configure set default.s3.addressing_style path',
      'aws s3 cp photo.jpg s3://BUCKET/photo.jpg',
    ),
  },
  {
    client: 'rclone',
    text: lines(
      ...['[wharf]', 'type = s3', 'provider = Other'],
      ...[`access_key_id = ${ACCESS_KEY_ID}`, `secret_access_key = ${SECRET}`],
      ...[`endpoint = ${endpoint}`, 'region = us-east-1', 'force_path_style = true'],
    ),
  },
  {
    client: 'boto3',
    text: lines(
      ...['import boto3', 'from botocore.config import Config', ''],
      ...['s3 = boto3.client(', "    's3',", `    endpoint_url='${endpoint}',`],
      `    aws_access_key_id='${ACCESS_KEY_ID}',`,
      `    aws_secret_access_key='${SECRET}',`,
      "    region_name='us-east-1',",
      "    config=Config(s3={'addressing_style': 'path'}),",
      ")\ns3.upload_file('photo.jpg', 'BUCKET', 'photo.jpg')",
    ),
  },
  {
    client: 'Terraform',
    text: lines(
      `# export AWS_ACCESS_KEY_ID=${ACCESS_KEY_ID} AWS_SECRET_ACCESS_KEY=${SECRET}`,
      ...['terraform {', '  backend "s3" {'],
      ...['    bucket       = "BUCKET"', '    key          = "terraform.tfstate"'],
      ...['    region       = "us-east-1"', '    use_lockfile = true', ''],
      `    endpoints                   = { s3 = "${endpoint}" }`,
      ...['    use_path_style              = true', '    skip_credentials_validation = true'],
      ...['    skip_requesting_account_id  = true', '  }', '}'],
    ),
  },
];

const lines = (...texts: string[]) => texts.join('\n');
