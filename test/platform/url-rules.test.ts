import { describe, expect, test } from '@jest/globals';
import { OutboundBlockedError } from '../../platform/outbound-error.ts';
import { createOutboundGuard } from '../../platform/outbound-guard.ts';

/** The reason the guard gives at once, or undefined when it leaves the verdict to the connection. */
function reasonFor(url: string, allow: string[] = [], options = {}): string | undefined {
  try {
    createOutboundGuard({ allow, ...options }).checkUrl(url);
    return undefined;
  } catch (error) {
    if (error instanceof OutboundBlockedError) return error.reason;
    throw error;
  }
}

describe('a URL that breaks a rule', () => {
  test.each([
    ['not a url', 'invalid_url'],
    ['', 'invalid_url'],
    ['https://', 'invalid_url'],
    ['https://exa mple.com/', 'invalid_url'],
    ['https://example.com/a b', 'invalid_url'],
    ['https://example.com/ ', 'invalid_url'],
    ['https://example.com/\0', 'invalid_url'],
    ['https://exam\nple.com/', 'invalid_url'],
    ['https://example.com/\u00a0', 'invalid_url'],
    ['https://example.com/\x7f', 'invalid_url'],
    [' https://127.0.0.1/', 'invalid_url'],
    ['https://127.0.0.1\t/', 'invalid_url'],
    ['https://[fe80::1%25eth0]/', 'invalid_url'],
    ['https://256.256.256.256/', 'invalid_url'],
    ['/relative', 'invalid_url'],
    ['ftp://example.com/', 'scheme_not_allowed'],
    ['file:///etc/passwd', 'scheme_not_allowed'],
    ['gopher://example.com/', 'scheme_not_allowed'],
    ['javascript:alert(1)', 'scheme_not_allowed'],
    ['data:text/plain,hi', 'scheme_not_allowed'],
    ['http://example.com/hook', 'insecure_scheme'],
    ['http://8.8.8.8/', 'insecure_scheme'],
    ['https://user:password@example.com/', 'userinfo_not_allowed'],
    ['https://user@example.com/', 'userinfo_not_allowed'],
    ['https://example.com@127.0.0.1/', 'userinfo_not_allowed'],
    ['https://localhost/', 'host_not_allowed'],
    ['https://LOCALHOST:8443/', 'host_not_allowed'],
    ['https://localhost./', 'host_not_allowed'],
    ['https://localhost../', 'host_not_allowed'],
    ['https://anything.localhost/', 'host_not_allowed'],
    ['https://metadata.google.internal/computeMetadata/v1/', 'host_not_allowed'],
    ['https://metadata.google.internal./', 'host_not_allowed'],
    ['https://metadata/', 'host_not_allowed'],
    ['https://instance-data/latest/', 'host_not_allowed'],
    ['https://vault.internal/', 'host_not_allowed'],
    ['https://printer.local/', 'host_not_allowed'],
  ])('fails before any look-up: %s, %s', (url, reason) => {
    expect(reasonFor(url)).toBe(reason);
  });
});

describe('a private literal address', () => {
  test.each([
    'https://127.0.0.1/',
    'https://127.0.0.1:8443/',
    'https://127.0.0.1./',
    'https://127.1/',
    'https://2130706433/',
    'https://0177.0.0.1/',
    'https://0x7f.1/',
    'https://0x7f000001/',
    'https://017700000001/',
    'https://%31%32%37.0.0.1/',
    'https://①②⑦.⓪.⓪.①/',
    'https:\\\\127.0.0.1\\',
    'https:/127.0.0.1/',
    'https://0/',
    'https://10.1.2.3/',
    'https://169.254.169.254/latest/meta-data/',
    'https://0xA9FEA9FE/latest/meta-data/',
    'https://2852039166/latest/meta-data/',
    'https://[::1]/',
    'https://[::]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[0:0:0:0:0:ffff:7f00:0001]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[fd00:ec2::254]/',
    'https://[fe80::1]/',
  ])('fails as address_not_allowed when spelled %s', (url) => {
    expect(reasonFor(url)).toBe('address_not_allowed');
  });
});

describe('a permitted URL', () => {
  test.each([
    'https://example.com/hook?x=1#y',
    'https://example.com:8443/hook',
    'https://example.com./hook',
    'https://8.8.8.8/',
    'https://[2606:4700:4700::1111]:8443/',
    'https://müller.example/',
    'https://localhost.example.com/',
    'https://internal.example.com/',
  ])('passes the check before the look-up: %s', (url) => {
    expect(reasonFor(url)).toBeUndefined();
  });
});

describe('OUTBOUND_ALLOW', () => {
  test.each([
    'http://127.0.0.1:9000/hook',
    'https://127.0.0.1/',
    'http://localhost:9000/hook',
    'http://hooks.localhost:9000/',
    'https://service.internal/', // judged by its address when it is called
  ])('opens %s with 127.0.0.0/8', (url) => {
    expect(reasonFor(url, ['127.0.0.0/8'])).toBeUndefined();
  });

  test.each([
    ['http://10.0.0.1/', 'address_not_allowed'],
    ['http://8.8.8.8/', 'insecure_scheme'],
    ['http://example.com/', 'insecure_scheme'],
    ['http://service.internal/', 'insecure_scheme'],
    ['http://metadata.google.internal/', 'host_not_allowed'],
    ['http://user:pw@127.0.0.1/', 'userinfo_not_allowed'],
    ['ftp://127.0.0.1/', 'scheme_not_allowed'],
    ['http://[::1]/', 'address_not_allowed'],
    ['http://[::ffff:127.0.0.1]/', 'address_not_allowed'],
  ])('does not open %s with 127.0.0.0/8', (url, reason) => {
    expect(reasonFor(url, ['127.0.0.0/8'])).toBe(reason);
  });

  test('does not open localhost with another range', () => {
    expect(reasonFor('http://localhost/', ['10.0.0.0/8'])).toBe('host_not_allowed');
  });

  test.each([
    'http://hooks.example.com:9000/hook',
    'http://HOOKS.example.com./hook',
    'https://hooks.example.com/hook',
    'http://xn--mller-kva.example/',
    'http://müller.example/',
    'http://printer.local/',
    'https://printer.local/',
  ])('opens %s when the name is listed', (url) => {
    expect(reasonFor(url, ['hooks.example.com', 'xn--mller-kva.example', 'printer.local'])).toBeUndefined();
  });

  test.each([
    ['http://example.com/', 'insecure_scheme'],
    ['http://a.hooks.example.com/', 'insecure_scheme'],
    ['http://xhooks.example.com/', 'insecure_scheme'],
    ['http://8.8.8.8/', 'insecure_scheme'],
    ['http://vault.internal/', 'host_not_allowed'],
    ['http://10.0.0.1/', 'address_not_allowed'],
    ['http://127.0.0.1/', 'address_not_allowed'],
    ['http://localhost/', 'host_not_allowed'],
  ])('does not open %s with other listed names', (url, reason) => {
    expect(reasonFor(url, ['hooks.example.com', 'localhost'])).toBe(reason);
  });

  test('never opens metadata hosts and addresses', () => {
    const allow = ['169.254.0.0/16', '100.64.0.0/10', 'fd00::/8', 'metadata.google.internal'];
    expect(reasonFor('http://metadata.google.internal/', allow)).toBe('host_not_allowed');
    expect(reasonFor('http://169.254.169.254/', allow)).toBe('address_not_allowed');
    expect(reasonFor('http://100.100.100.200/', allow)).toBe('address_not_allowed');
    expect(reasonFor('http://[fd00:ec2::254]/', allow)).toBe('address_not_allowed');
  });
});

describe('a guard that opens port 443 only', () => {
  const reasonOf = (url: string, allow: string[] = []) => reasonFor(url, allow, { onlyPort443: true });

  test.each(['https://example.com/', 'https://example.com:443/', 'https://8.8.8.8/'])('allows %s', (url) => {
    expect(reasonOf(url)).toBeUndefined();
  });

  test.each(['https://example.com:8443/', 'https://example.com:80/', 'https://8.8.8.8:8443/'])(
    'refuses %s',
    (url) => {
      expect(reasonOf(url)).toBe('port_not_allowed');
      expect(reasonOf(url, ['other.example'])).toBe('port_not_allowed');
    },
  );

  test('allows another port for a listed name and an opened address', () => {
    expect(reasonOf('https://api.example.com:8443/', ['api.example.com'])).toBeUndefined();
    expect(reasonOf('https://127.0.0.1:8443/', ['127.0.0.0/8'])).toBeUndefined();
    expect(reasonOf('https://localhost:8443/', ['127.0.0.0/8'])).toBeUndefined();
  });

  test('leaves a name on another port to the connection when ranges are open', () => {
    expect(reasonOf('https://api.example.com:8443/', ['10.0.0.0/8'])).toBeUndefined();
    expect(reasonOf('https://8.8.8.8:8443/', ['10.0.0.0/8'])).toBe('port_not_allowed');
  });
});
