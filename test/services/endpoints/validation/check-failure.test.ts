import { expect, test } from '@jest/globals';
import { hideAddresses } from '../../../../services/endpoints/validation/check-failure.ts';

test.each([
  ['connect ECONNREFUSED 10.0.0.7:8000', 'connect ECONNREFUSED [address]'],
  ['no route to 10.0.0.7.', 'no route to [address].'],
  ['dial tcp [fd12::7]:8000: refused', 'dial tcp [address]: refused'],
  ['connect ECONNREFUSED ::1:8000', 'connect ECONNREFUSED [address]'],
  ['host fe80::1%eth0 is down', 'host [address] is down'],
  ['from 2001:db8:0:0:0:0:0:7, to ::ffff:10.0.0.7', 'from [address], to [address]'],
  ['peer fd12::7: reset', 'peer [address]: reset'],
  ['no vllm.internal here', 'no [address] here'],
  ['vllm.models.svc.cluster.local:8000 is down', '[address] is down'],
  ['vllm.models.svc is down, and GPU-1.LOCAL too', '[address] is down, and [address] too'],
  ['localhost and localhost:8000', '[address] and [address]'],
  ["HTTPConnectionPool(host='vllm-7b', port=8000)", "HTTPConnectionPool(host='[address]', port=8000)"],
  ['connect to vllm-7b:8000 failed', 'connect to [address] failed'],
  ['lookup gpu.acme.example:443', 'lookup [address]'],
])('hideAddresses turns %j into %j', (text, shown) => {
  expect(hideAddresses(text)).toBe(shown);
});

test.each([
  'The model llama3.1:70b does not exist',
  'Rate limit reached at 12:30:45, try again in 20s',
  'error:429 in line:42',
  'max_tokens:4096 is more than 2.048',
  'std::bad_alloc, version 1.2.3',
  'The internal local model of api.openai.com is busy.',
])('%s stays as it is', (text) => {
  expect(hideAddresses(text)).toBe(text);
});
