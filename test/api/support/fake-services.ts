import type { Services } from '../../../api/create-services.ts';
import { AppError } from '../../../domain/errors.ts';
import type { Principal } from '../../../domain/principal.ts';

const principal: Principal = {
  keyId: 1,
  keyHash: 'a'.repeat(64),
  kind: 'regular',
  label: 'sk-slc-reg...ular',
  organizationId: '6f1c2c1e-5a3a-4b61-9a53-0f2c6f3d1f10',
  workspaceId: '0b0f4a3e-6f0f-4f57-8a55-3a0a2f0f9c11',
};

export const principals: Record<string, Principal> = {
  'regular-key': principal,
  'intern-key': { ...principal, keyId: 2, kind: 'intern' },
  'management-key': { ...principal, keyId: 3, kind: 'management' },
};

/** Methods of services that a test gives. */
export type FakedServices = { [Name in keyof Services]?: Partial<Services[Name]> };

/** Methods that let requests reach the service of their operation. */
const ADMITTING: FakedServices = {
  keys: { verify: async (token) => principals[token] ?? null, isKnown: (token) => token in principals },
  generationRate: { take: () => undefined },
  requestsInFlight: { enter: () => () => {} },
  datasetRate: { take: async () => undefined },
  entitlements: { require: async () => {} },
  programmeGate: { admit: () => {} },
  scimTokens: { verify: async () => null },
  callbacks: { admits: () => true, receive: async () => false },
  urlSigner: { sign: () => 'expires=1&signature=test', verify: () => 'bad' },
  ownModels: { of: async () => [] },
  models: { textModels: () => [], list: () => [], providers: () => [], providerName: (slug) => slug },
  images: { models: () => [], providerName: (slug) => slug },
  videos: { models: () => [], sunsetHeader: () => undefined },
  daemon: { publishedKeys: async () => [] },
  health: { checkReadiness: async () => ({ postgres: true, temporal: true }) },
};

/** Answers 404 to every method that the test does not give, so that a test sees only what it set up. */
export function fakeServices(overrides: FakedServices): Services {
  const service = (name: keyof Services): object => answering404({ ...ADMITTING[name], ...overrides[name] });
  return new Proxy({} as Services, { get: (_, name) => service(name as keyof Services) });
}

function answering404(methods: object): object {
  const missing = (): never => {
    throw new AppError('not_found');
  };
  return new Proxy(methods, { get: (given, name) => Reflect.get(given, name) ?? missing });
}

export const asRegular = { authorization: 'Bearer regular-key' };
export const asManagement = { authorization: 'Bearer management-key' };
