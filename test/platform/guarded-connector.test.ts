import { describe, expect, test } from '@jest/globals';
import type { LookupAddress } from 'node:dns';
import type { AddressVerdict } from '../../platform/address-rules.ts';
import { createGuardedConnector, createGuardedLookup } from '../../platform/guarded-connector.ts';
import { OutboundBlockedError } from '../../platform/outbound-error.ts';
import { createOutboundRules } from '../../platform/outbound-rules.ts';
import type { OutboundRules } from '../../platform/outbound-rules.ts';
import type { ConnectionKind } from '../../platform/url-rules.ts';
import { startLoopbackServer } from './loopback-server.ts';

interface Setup {
  answers: string[][];
  allow?: string[];
  kind?: ConnectionKind;
  onlyPort443?: boolean;
}

/** A look-up whose resolver gives the answers one after the other. */
function lookupWith({ answers, allow = [], kind = 'https', onlyPort443 = false }: Setup) {
  const asked: string[] = [];
  const resolve = async (hostname: string) => {
    asked.push(hostname);
    return answers[asked.length - 1] ?? [];
  };
  const lookup = createGuardedLookup(kind, { rules: createOutboundRules(allow, { onlyPort443 }), resolve });
  const ask = (hostname: string, all = true) =>
    new Promise<string | LookupAddress[]>((fulfil, reject) => {
      lookup(hostname, { all }, (error, addresses) => (error ? reject(error) : fulfil(addresses)));
    });
  return { ask, asked };
}

const blocked = new OutboundBlockedError('address_not_allowed');

test('the guarded look-up returns every public address with its family', async () => {
  const { ask } = lookupWith({ answers: [['93.184.216.34', '2606:4700:4700::1111']] });
  expect(await ask('example.com')).toEqual([
    { address: '93.184.216.34', family: 4 },
    { address: '2606:4700:4700::1111', family: 6 },
  ]);
});

test('the guarded look-up returns the first address when only one is wanted', async () => {
  const { ask } = lookupWith({ answers: [['93.184.216.34', '1.1.1.1']] });
  expect(await ask('example.com', false)).toBe('93.184.216.34');
});

test('a name that resolves to a public and later a private address is refused', async () => {
  const { ask, asked } = lookupWith({ answers: [['93.184.216.34'], ['10.0.0.1']] });
  await ask('rebind.example');
  await expect(ask('rebind.example')).rejects.toEqual(blocked);
  expect(asked).toEqual(['rebind.example', 'rebind.example']);
});

test.each([
  ['public, then private', ['93.184.216.34', '127.0.0.1']],
  ['private, then public', ['127.0.0.1', '93.184.216.34']],
  ['public v4, mapped v6', ['93.184.216.34', '::ffff:10.0.0.1']],
])('a mixed answer of the resolver is refused as a whole: %s', async (_name, addresses) => {
  await expect(lookupWith({ answers: [addresses] }).ask('mixed.example')).rejects.toEqual(blocked);
});

test('an empty answer of the resolver is refused', async () => {
  await expect(lookupWith({ answers: [[]] }).ask('empty.example')).rejects.toEqual(blocked);
});

describe('plain http', () => {
  const http = { allow: ['10.0.0.0/8', 'listed.example'], kind: 'http' as const };

  test.each([[['10.0.0.1']], [['93.184.216.34']], [['10.0.0.1', '93.184.216.34']]])(
    'goes to a listed name at %p',
    async (addresses) => {
      const answers = await lookupWith({ ...http, answers: [addresses] }).ask('listed.example');
      expect(answers).toHaveLength(addresses.length);
    },
  );

  test.each([[['192.168.0.1']], [['93.184.216.34', '192.168.0.1']], [['10.0.0.1', '127.0.0.1']]])(
    'refuses a listed name at %p, of which one is neither public nor opened',
    async (addresses) => {
      const { ask } = lookupWith({ ...http, answers: [addresses] });
      await expect(ask('listed.example')).rejects.toEqual(blocked);
    },
  );

  test.each(['10.0.0.1', '93.184.216.34'])('refuses an unlisted name at %s', async (address) => {
    await expect(lookupWith({ ...http, answers: [[address]] }).ask('a.example')).rejects.toEqual(blocked);
  });
});

describe('a port other than 443 when only 443 is open', () => {
  const otherPort = {
    allow: ['10.0.0.0/8', 'listed.example'],
    kind: 'other-port' as const,
    onlyPort443: true,
  };

  test.each([
    ['a name at an opened address', 'a.example', '10.0.0.1'],
    ['a listed name', 'listed.example', '93.184.216.34'],
  ])('reaches %s', async (_, name, address) => {
    const answers = await lookupWith({ ...otherPort, answers: [[address]] }).ask(name);
    expect(answers).toHaveLength(1);
  });

  test.each([
    ['a public address', 'a.example', ['93.184.216.34']],
    ['an opened and a public address', 'a.example', ['10.0.0.1', '93.184.216.34']],
    ['a private address of a listed name', 'listed.example', ['192.168.0.1']],
  ])('does not reach %s', async (_, name, addresses) => {
    await expect(lookupWith({ ...otherPort, answers: [addresses] }).ask(name)).rejects.toEqual(blocked);
  });
});

describe('localhost', () => {
  test('resolves to the opened loopback addresses without asking a resolver', async () => {
    const { ask, asked } = lookupWith({ answers: [['93.184.216.34']], allow: ['127.0.0.0/8'] });
    expect(await ask('localhost')).toEqual([{ address: '127.0.0.1', family: 4 }]);
    expect(await ask('hooks.localhost')).toEqual([{ address: '127.0.0.1', family: 4 }]);
    expect(asked).toEqual([]);
  });

  test('fails when no loopback address is opened', async () => {
    await expect(lookupWith({ answers: [['93.184.216.34']] }).ask('localhost')).rejects.toEqual(blocked);
  });
});

test("the guarded look-up passes on the resolver's own error", async () => {
  const failure = Object.assign(new Error('getaddrinfo ENOTFOUND nowhere.example'), { code: 'ENOTFOUND' });
  const lookup = createGuardedLookup('https', {
    rules: createOutboundRules([]),
    resolve: () => Promise.reject(failure),
  });
  const error = await new Promise((fulfil) => lookup('nowhere.example', { all: true }, fulfil));
  expect(error).toBe(failure);
});

describe('the guarded connector', () => {
  /** Connects to a real server under rules that give the verdicts one after the other. */
  async function connect(hostname: string, verdicts: AddressVerdict[]) {
    const server = await startLoopbackServer((_request, response) => response.end());
    const rules: OutboundRules = {
      opensRanges: true,
      judge: () => verdicts.shift() ?? 'refused',
      listsName: (host) => host === 'hooks.example',
      openedLoopback: [],
      onlyPort443: false,
    };
    const connector = createGuardedConnector({ rules, resolve: async () => ['127.0.0.1'] });
    const outcome = await new Promise((resolve) => {
      connector({ hostname, protocol: 'http:', port: String(server.port) }, (error, socket) => {
        socket?.destroy();
        resolve(error ?? 'connected');
      });
    });
    await server.close();
    return { outcome, sockets: server.connections() };
  }

  test('opens a socket when the resolved and the reached address are both permitted', async () => {
    expect(await connect('hooks.example', ['allowed', 'allowed'])).toEqual({
      outcome: 'connected',
      sockets: 1,
    });
  });

  test('judges a literal address, for which no look-up is made', async () => {
    expect(await connect('127.0.0.1', ['refused', 'allowed'])).toEqual({ outcome: blocked, sockets: 0 });
    expect(await connect('127.0.0.1', ['allowed', 'allowed'])).toEqual({ outcome: 'connected', sockets: 1 });
  });

  test('refuses a forbidden port', async () => {
    const rules = createOutboundRules([], { onlyPort443: true });
    const connector = createGuardedConnector({ rules, resolve: async () => ['93.184.216.34'] });
    const outcome = await new Promise((resolve) => {
      connector({ hostname: 'a.example', protocol: 'https:', port: '8443' }, (...[error]) => resolve(error));
    });
    expect(outcome).toEqual(blocked);
  });

  test('drops a socket that reached another address than the one judged', async () => {
    expect(await connect('hooks.example', ['allowed', 'refused'])).toMatchObject({ outcome: blocked });
  });
});
