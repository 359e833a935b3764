import { describe, expect, test } from '@jest/globals';
import { createAddressRules } from '../../platform/address-rules.ts';

const PUBLIC = [
  '8.8.8.8',
  '1.1.1.1',
  '93.184.216.34',
  '100.63.255.255', // just below shared address space
  '100.128.0.0', // just above it
  '172.15.255.255',
  '172.32.0.0',
  '192.167.255.255',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '2606:4700:4700::1111',
  '2a00:1450:4001:81b::200e',
  '2001:4860:4860::8888',
];

const REFUSED: [address: string, why: string][] = [
  ['0.0.0.0', 'unspecified'],
  ['0.1.2.3', 'this network'],
  ['10.0.0.1', 'private'],
  ['10.255.255.255', 'private'],
  ['172.16.0.1', 'private'],
  ['172.31.255.255', 'private'],
  ['192.168.1.1', 'private'],
  ['127.0.0.1', 'loopback'],
  ['127.255.255.254', 'loopback'],
  ['169.254.0.1', 'link-local'],
  ['169.254.169.254', 'metadata'],
  ['169.254.170.2', 'metadata of ECS'],
  ['168.63.129.16', 'metadata of Azure, in a public range'],
  ['100.64.0.1', 'shared address space'],
  ['100.127.255.255', 'shared address space'],
  ['100.100.100.200', 'metadata of Alibaba'],
  ['192.0.0.8', 'protocol assignments'],
  ['192.0.2.1', 'documentation'],
  ['198.51.100.7', 'documentation'],
  ['203.0.113.9', 'documentation'],
  ['198.18.0.1', 'benchmarking'],
  ['198.19.255.255', 'benchmarking'],
  ['192.88.99.1', '6to4 relay'],
  ['224.0.0.1', 'multicast'],
  ['239.255.255.255', 'multicast'],
  ['240.0.0.1', 'reserved'],
  ['255.255.255.255', 'broadcast'],
  ['::', 'unspecified'],
  ['::1', 'loopback'],
  ['::7f00:1', 'v4-compatible loopback'],
  ['::808:808', 'v4-compatible public'],
  ['::ffff:127.0.0.1', 'v4-mapped loopback'],
  ['::ffff:7f00:1', 'v4-mapped loopback in hex'],
  ['::ffff:10.0.0.1', 'v4-mapped private'],
  ['::ffff:8.8.8.8', 'v4-mapped public'],
  ['::ffff:0:127.0.0.1', 'v4-translated'],
  ['64:ff9b::7f00:1', 'NAT64'],
  ['64:ff9b::808:808', 'NAT64 of a public address'],
  ['64:ff9b:1::a00:1', 'local NAT64'],
  ['2002:7f00:1::1', '6to4 of loopback'],
  ['2002:808:808::1', '6to4'],
  ['2001::1', 'Teredo'],
  ['2001:0:53aa:64c::1', 'Teredo'],
  ['2001:2::1', 'benchmarking'],
  ['2001:10::1', 'ORCHID'],
  ['2001:20::1', 'ORCHIDv2'],
  ['2001:db8::1', 'documentation'],
  ['3fff::1', 'documentation'],
  ['fc00::1', 'unique local'],
  ['fdff:ffff::1', 'unique local'],
  ['fd00:ec2::254', 'metadata of AWS'],
  ['fe80::1', 'link-local'],
  ['fe80::1%eth0', 'link-local with a zone'],
  ['2606:4700:4700::1111%eth0', 'public with a zone'],
  ['febf::1', 'link-local'],
  ['fec0::1', 'site-local'],
  ['ff02::1', 'multicast'],
  ['100::1', 'discard'],
  ['5f00::1', 'segment routing'],
  ['4000::1', 'not handed out'],
  ['2130706433', 'not an address'],
  ['0x7f.1', 'not an address'],
  ['127.1', 'not an address'],
  ['example.com', 'not an address'],
  ['', 'nothing'],
];

describe('address rules without opened ranges', () => {
  const rules = createAddressRules([]);

  test.each(PUBLIC)('judge %s as public', (address) => {
    expect(rules.judge(address)).toBe('public');
  });

  test.each(REFUSED)('refuse %s: %s', (address) => {
    expect(rules.judge(address)).toBe('refused');
  });
});

describe('address rules with opened ranges', () => {
  const rules = createAddressRules([
    '10.20.0.0/16',
    '127.0.0.0/8',
    '169.254.0.0/16',
    '100.64.0.0/10',
    '168.63.0.0/16',
    'fd00::/8',
    'fe80::/10',
    '64:ff9b::/96',
    '2002::/16',
    '::ffff:0:0/96',
  ]);

  test.each([
    '10.20.30.40',
    '127.0.0.1',
    '169.254.1.1',
    '100.64.0.1',
    'fd12::1',
    '64:ff9b::808:808',
    '::ffff:10.0.0.1',
  ])('allow the address %s', (address) => {
    expect(rules.judge(address)).toBe('allowed');
  });

  test.each(['10.21.0.1', '192.168.0.1', '::1', '172.16.0.1'])(
    'refuse %s, which lies outside the ranges',
    (address) => {
      expect(rules.judge(address)).toBe('refused');
    },
  );

  test.each([
    '169.254.169.254',
    '169.254.170.2',
    '169.254.170.23',
    '100.100.100.200',
    '168.63.129.16',
    'fd00:ec2::254',
    'fd00:0ec2:0:0:0:0:0:0254',
    'fd20:ce::254',
    'fe80::a9fe:a9fe',
    '64:ff9b::a9fe:a9fe',
    '2002:a9fe:a9fe::1',
    '::ffff:169.254.169.254',
  ])('refuse %s, which leads to a metadata service', (address) => {
    expect(rules.judge(address)).toBe('refused');
  });

  test('judge other public addresses as public', () => {
    expect(rules.judge('8.8.8.8')).toBe('public');
  });
});
