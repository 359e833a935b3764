import { beforeEach, expect, test } from '@jest/globals';
import { createProgrammeGate, type ProgrammeGate } from '../../../services/interns/programme-gate.ts';

let members: Set<string>;
let reads: number;
let isConnected: boolean;
let gate: ProgrammeGate;

beforeEach(() => {
  members = new Set(['member']);
  reads = 0;
  isConnected = true;
  gate = createProgrammeGate({
    store: {
      hasEntitlement: async (id, entitlement) => {
        reads += 1;
        return entitlement === 'interns' && members.has(id);
      },
    },
    notices: { isConnected: () => isConnected, heardUntilMs: () => Date.now() },
    publicUrl: 'https://gateway.example',
  });
});

/** Returns the code of the refusal, or `admitted`. */
async function judge(organizationId: string, host?: string): Promise<string> {
  try {
    await gate.admit(organizationId, host);
    return 'admitted';
  } catch (error) {
    return (error as { code: string }).code;
  }
}

test('an organization in the programme is admitted, and is read once', async () => {
  expect(await judge('member', 'gateway.example')).toBe('admitted');
  expect(gate.admit('member', 'gateway.example')).toBeUndefined();
  expect(reads).toBe(1);
});

test('an organization outside the programme gets a 404, also on a regional host', async () => {
  expect(await judge('stranger', 'gateway.example')).toBe('not_found');
  expect(await judge('stranger', 'eu.gateway.example')).toBe('not_found');
  expect(reads).toBe(1);
});

test('a regional host is refused to an organization in the programme', async () => {
  expect(await judge('member', 'us.gateway.example')).toBe('regional_host_not_supported');
  expect(await judge('member', 'US.gateway.example:8443')).toBe('regional_host_not_supported');
});

test('a change applies as soon as a notice names the organization', async () => {
  await judge('member');
  members.delete('member');
  gate.forget('member');
  expect(await judge('member')).toBe('not_found');
  members.add('member');
  gate.forgetAll();
  expect(await judge('member')).toBe('admitted');
});
