import { expect, test } from 'bun:test';
import { parseReport } from './wrk.ts';

const REPORT = `Running 2s test @ http://127.0.0.1:8080/
  1 threads and 64 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     2.12ms  402.11us   9.37ms   87.15%
    Req/Sec    30.28k     1.36k   33.08k    70.00%
  Latency Distribution
     50%    2.04ms
     75%    2.22ms
     90%    2.49ms
     99%  940.50us
  60301 requests in 2.00s, 74.30MB read
Requests/sec:  30117.33
Transfer/sec:     37.11MB
`;

test("wrk's report becomes a number of requests, a rate and milliseconds", () => {
  expect(parseReport(REPORT)).toEqual({
    requests: 60_301,
    requestsPerSecond: 30117.33,
    p99: 0.9405,
  });
});

test.each(['Non-2xx or 3xx responses: 12', 'Socket errors: connect 0, read 3, write 0, timeout 0'])(
  'a round with %j counts for nothing',
  (line) => {
    expect(() => parseReport(`${REPORT}  ${line}\n`)).toThrow(line);
  },
);
