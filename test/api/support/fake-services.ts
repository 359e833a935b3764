import type { Services } from '../../../api/services.ts';
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

/** Refuses everything it is not told to do, so that a test sees only what it set up. */
export function fakeServices(overrides: Partial<Services>): Services {
  const missing = async (): Promise<never> => {
    throw new AppError('not_found');
  };
  return {
    keys: { verify: async (token) => principals[token] ?? null },
    keyInfo: { describeKey: missing },
    apiKeys: { list: missing, get: missing, create: missing, update: missing, remove: missing },
    endUsers: { list: missing, get: missing, register: missing, setActive: missing, deactivate: missing },
    daemon: { sign: missing, publishedKeys: async () => [] },
    auditLog: { list: missing },
    generationRate: { take: () => undefined },
    datasetRate: { take: async () => undefined },
    rankings: { models: missing, apps: missing },
    credits: { totals: missing },
    ownModels: { of: async () => [] },
    models: {
      textModels: () => [],
      list: () => [],
      find: () => {
        throw new AppError('not_found');
      },
      performanceOf: () => {
        throw new AppError('not_found');
      },
      providers: () => [],
      providerName: (slug) => slug,
    },
    chat: { create: missing, stream: missing },
    completions: { create: missing, stream: missing },
    messages: { create: missing, stream: missing, countTokens: missing },
    responses: { create: missing, stream: missing },
    embeddings: { embed: missing },
    rerank: { rank: missing },
    images: {
      create: missing,
      models: () => [],
      model: () => {
        throw new AppError('not_found');
      },
      providerName: (slug) => slug,
    },
    speech: { speak: missing },
    generations: { get: missing, content: missing },
    videos: fakeVideos({}),
    urlSigner: { sign: () => 'expires=1&signature=test', verify: () => 'bad' },
    webhooks: fakeWebhooks({}),
    workspaceWebhooks: { rotateSecret: missing, tryCallback: missing },
    organization: { listMembers: missing, get: missing, update: missing },
    workspaces: { list: missing, create: missing, get: missing, update: missing, remove: missing },
    workspaceMembers: { list: missing, add: missing, remove: missing },
    workspaceBudgets: { list: missing, get: missing, set: missing, remove: missing },
    presets: {
      save: missing,
      list: missing,
      get: missing,
      listVersions: missing,
      getVersion: missing,
      update: missing,
      archive: missing,
    },
    interns: {
      list: missing,
      get: missing,
      create: missing,
      update: missing,
      report: missing,
      attach: missing,
      detach: missing,
      remove: missing,
    },
    internKeys: { list: missing, create: missing, remove: missing },
    scimGroups: { list: missing },
    groupMappings: { list: missing, get: missing, create: missing, setRole: missing, remove: missing },
    credentials: { list: missing, get: missing, create: missing, update: missing, remove: missing },
    destinations: {
      list: missing,
      get: missing,
      create: missing,
      update: missing,
      remove: missing,
      test: missing,
      listAttempts: missing,
      listDeadLetters: missing,
      replay: missing,
      preview: missing,
    },
    programmeGate: { admit: () => {} },
    vault: {
      listOfWorkspace: missing,
      putInWorkspace: missing,
      deleteFromWorkspace: missing,
      listOfIntern: missing,
      putInIntern: missing,
      deleteFromIntern: missing,
      copyToIntern: missing,
      effectiveSecrets: missing,
      connections: missing,
    },
    egress: { send: missing },
    egressLog: { list: missing },
    entitlements: { require: async () => {} },
    privateEndpoints: {
      list: missing,
      get: missing,
      create: missing,
      update: missing,
      setPricing: missing,
      activate: missing,
      switch: missing,
      remove: missing,
    },
    validations: { validate: missing, startActivation: missing, latestOf: missing },
    analytics: { query: missing },
    activity: { list: missing },
    classifiers: { create: missing, list: missing, get: missing, update: missing, addTags: missing },
    directoryPeople: {
      list: missing,
      get: missing,
      create: missing,
      replace: missing,
      patch: missing,
      remove: missing,
    },
    directoryGroups: {
      list: missing,
      find: missing,
      membersOf: missing,
      create: missing,
      replace: missing,
      patch: missing,
      remove: missing,
    },
    scimTokens: { create: missing, list: missing, remove: missing, verify: async () => null },
    scimSource: { get: missing, set: missing, remove: missing },
    syncJobs: { request: missing, get: missing, list: missing, changes: missing },
    callbacks: { admits: () => true, receive: async () => false },
    health: { checkReadiness: async () => ({ postgres: true, temporal: true }) },
    ...overrides,
  };
}

export function fakeVideos(overrides: Partial<Services['videos']>): Services['videos'] {
  const missing = async (): Promise<never> => {
    throw new AppError('not_found');
  };
  return {
    create: missing,
    get: missing,
    waitForChange: missing,
    timeline: missing,
    list: missing,
    cancel: missing,
    openContent: missing,
    models: () => [],
    ...overrides,
  };
}

export function fakeWebhooks(overrides: Partial<Services['webhooks']>): Services['webhooks'] {
  const missing = async (): Promise<never> => {
    throw new AppError('not_found');
  };
  return {
    listDeliveries: missing,
    replay: missing,
    ...overrides,
  };
}

export const asRegular = { authorization: 'Bearer regular-key' };
export const asManagement = { authorization: 'Bearer management-key' };
