import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createEncryption } from '../../../../platform/encryption.ts';
import { createLogger } from '../../../../platform/logger.ts';
import { createOutboundGuard } from '../../../../platform/outbound-guard.ts';
import { createOwnProviders, type OwnProviders } from '../../../../services/endpoints/own-providers.ts';
import { failsAt, startValidationScene, type ValidationScene } from './validation-scene.ts';

const REFUSED = failsAt('base_url_allowed', { reason: 'invalid_base_url' });
/** Answers of a resolver of the tests. */
const NAMES: Record<string, string[]> = {
  'private.example': ['10.0.0.7'],
  'metadata.example': ['169.254.169.254'],
  'mixed.example': ['198.51.101.9', '10.0.0.8'],
};

let scene: ValidationScene;
let ownProviders: OwnProviders;

beforeAll(async () => {
  scene = await startValidationScene();
  const { config } = scene.gateway;
  const guard = createOutboundGuard({
    ...config.outbound,
    async resolve(hostname) {
      const known = NAMES[hostname];
      if (known === undefined) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
      return known;
    },
  });
  ownProviders = createOwnProviders({
    catalog: scene.deps.validations.catalog,
    credentials: config.providers,
    encryption: createEncryption(config.encryption),
    guard,
    logger: createLogger({ level: 'fatal', name: 'test' }),
  });
  Object.assign(scene.deps.validations, { guard, ownProviders });
});

afterAll(async () => {
  await ownProviders.close();
  await scene.close();
});

test.each([
  ['a private address', 'https://10.0.0.1/v1'],
  ['a mapped address', 'https://[::ffff:169.254.169.254]/v1'],
  ['a NAT64 address', 'https://[64:ff9b::a9fe:a9fe]/v1'],
  ['a decimal address', 'https://2852039166/v1'],
  ['an octal address', 'https://0251.0376.0251.0376/v1'],
  ['a metadata host', 'https://metadata.google.internal/v1'],
  ['userinfo', 'https://user:pass@models.example/v1'],
  ['plain http to a public host', 'http://models.example/v1'],
  ['a name of a private address', 'https://private.example/v1'],
  ['a name of the metadata address', 'https://metadata.example/v1'],
  ['a name of a public and a private address', 'https://mixed.example/v1'],
  ['a name without an address', 'https://nowhere.example/v1'],
  ['a name that ends with a dot', 'https://private.example./v1'],
])('%s fails base_url_allowed', async (_, base_url) => {
  expect(await scene.checkNew({ base_url })).toEqual(REFUSED);
});
