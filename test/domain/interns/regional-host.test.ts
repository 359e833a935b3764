import { expect, test } from '@jest/globals';
import { createRegionalHostTest } from '../../../domain/interns/regional-host.ts';

test.each([
  'eu.gateway.example',
  'us.gateway.example',
  'EU.Gateway.Example',
  'eu.gateway.example:443',
  'us.gateway.example.',
])('createRegionalHostTest accepts %j for https://gateway.example', (host) => {
  expect(createRegionalHostTest('https://gateway.example')(host)).toBe(true);
});

test.each([
  'gateway.example',
  'asia.gateway.example',
  'eu.gateway.example.org',
  'xeu.gateway.example',
  'eu.eu.gateway.example',
  '',
])('createRegionalHostTest refuses %j for https://gateway.example', (host) => {
  expect(createRegionalHostTest('https://gateway.example')(host)).toBe(false);
});

test("a regional host matches with or without the public URL's port", () => {
  const isRegional = createRegionalHostTest('http://localhost:8080');
  expect([isRegional('eu.localhost:8080'), isRegional('eu.localhost'), isRegional('localhost:8080')]).toEqual(
    [true, true, false],
  );
});
