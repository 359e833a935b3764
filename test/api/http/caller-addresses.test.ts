import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { createCallerAddresses } from '../../../api/http/request/caller-addresses.ts';

const PROXIES = ['10.0.0.0/8', '2001:db8:1::/48'];

/** A request as Node would give it, with the address of its connection. */
function requestFrom(remoteAddress: string | undefined, headers: Record<string, string> = {}) {
  return { socket: { remoteAddress }, headers } as unknown as IncomingMessage;
}

function callerOf(
  remoteAddress: string | undefined,
  headers?: Record<string, string>,
  proxies = PROXIES,
): string {
  return createCallerAddresses(proxies).callerOf(requestFrom(remoteAddress, headers));
}

describe('the address of a caller', () => {
  test.each([
    ['an IPv4 address', '203.0.113.7', '203.0.113.7'],
    ['an IPv4 address written in IPv6', '::ffff:203.0.113.7', '203.0.113.7'],
    ['the /64 of an IPv6 address', '2001:db8:2:3:4:5:6:7', '2001:db8:2:3::/64'],
    ['the /64 of a link-local address', 'fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['unknown once the connection is closed', undefined, 'unknown'],
  ])('reads as %s', (_what, remoteAddress, address) => {
    expect(callerOf(remoteAddress)).toBe(address);
  });

  test('groups all addresses of a /64, and separates the neighbouring /64', () => {
    expect(callerOf('2001:db8:2:3::1')).toBe(callerOf('2001:db8:2:3:ffff::1'));
    expect(callerOf('2001:db8:2:3::1')).not.toBe(callerOf('2001:db8:2:4::1'));
  });

  test.each(['x-forwarded-for', 'forwarded'])('ignores %s unless a listed proxy sends it', (name) => {
    const headers = { [name]: name === 'forwarded' ? 'for=203.0.113.9' : '203.0.113.9' };
    expect(callerOf('203.0.113.7', headers)).toBe('203.0.113.7');
    expect(callerOf('10.0.0.1', headers, [])).toBe('10.0.0.1');
  });

  test.each([
    ['the address that a proxy names', '203.0.113.9', '203.0.113.9'],
    ['without its port', '203.0.113.9:4711', '203.0.113.9'],
    ['an IPv6 address', '2001:db8:2:3::9', '2001:db8:2:3::/64'],
    ['an IPv6 address in brackets with a port', '[2001:db8:2:3::9]:4711', '2001:db8:2:3::/64'],
    ['the nearest one that is no proxy', '10.9.9.9, 203.0.113.9, 10.0.0.2', '203.0.113.9'],
    ['the one furthest away if all are proxies', '10.0.0.3, 2001:db8:1::5', '10.0.0.3'],
    ['the proxy whose neighbour has no address', '203.0.113.9, unknown, 10.0.0.2', '10.0.0.2'],
    ['the proxy itself if it names nobody', '', '10.0.0.1'],
  ])('comes from X-Forwarded-For behind a proxy: %s', (_what, forwardedFor, address) => {
    expect(callerOf('10.0.0.1', { 'x-forwarded-for': forwardedFor })).toBe(address);
  });

  test.each([
    ['for=203.0.113.9', '203.0.113.9'],
    ['by=10.0.0.1;For="203.0.113.9:4711";proto=https', '203.0.113.9'],
    ['for="[2001:db8:2:3::9]:4711", for=10.0.0.2;by=10.0.0.1', '2001:db8:2:3::/64'],
    ['for=_hidden, for=10.0.0.2', '10.0.0.2'],
    ['proto=https', '10.0.0.1'],
  ])('comes from Forwarded: %s', (forwarded, address) => {
    expect(callerOf('10.0.0.1', { forwarded })).toBe(address);
  });

  test('comes from X-Forwarded-For when a request has both headers', () => {
    const headers = { 'x-forwarded-for': '203.0.113.9', forwarded: 'for=203.0.113.8' };
    expect(callerOf('10.0.0.1', headers)).toBe('203.0.113.9');
  });
});

describe('believesHeaders', () => {
  test('accepts headers from listed proxies only', () => {
    const { believesHeaders } = createCallerAddresses(PROXIES);
    expect(believesHeaders(requestFrom('10.0.0.1'))).toBe(true);
    expect(believesHeaders(requestFrom('203.0.113.7'))).toBe(false);
  });

  test('accepts headers from everyone when no proxies are listed', () => {
    expect(createCallerAddresses([]).believesHeaders(requestFrom('203.0.113.7'))).toBe(true);
  });
});
