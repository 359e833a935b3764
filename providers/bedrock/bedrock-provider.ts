import type { Fields } from '../../domain/fields.ts';
import { readCredential } from '../credentials.ts';
import type { Provider } from '../provider.ts';
import type { ProviderSettings } from '../provider-settings.ts';
import { createTextHttp } from '../text-http.ts';
import { createAuthorizer } from './authorize.ts';
import { createConverseAdapter } from './converse.ts';
import type { BedrockCredential } from './credential.ts';
import { createEmbedAdapter } from './embeddings.ts';
import { createBedrockRerank } from './rerank.ts';

/**
 * Creates the provider for Amazon Bedrock. The credential is a JSON object with its region, or an API key beside an
 * address (docs/providers.md). `catalog.json` is written by `npm run catalog` (docs/catalog.md).
 */
export function createBedrockProvider(settings: ProviderSettings): Provider {
  const { slug, apiKey, baseUrl, dispatcher } = settings;
  const credential = apiKey === undefined ? undefined : readCredential('bedrock', apiKey, 'operator');
  // Credentials are checked where they are configured, so that the error names the variable or the field.
  if (typeof credential === 'string') throw new Error(`the credential of ${slug} ${credential}`);
  const { fields = { apiKey } as Fields, secrets = [] } = credential ?? {};
  const account = fields as unknown as BedrockCredential;
  const authorizer = credential && createAuthorizer(account);
  const http = createTextHttp({
    baseUrl,
    dispatcher,
    headers: {},
    authorize: authorizer?.authorize,
    secrets: () => [...secrets, ...(authorizer?.secrets() ?? [])],
  });
  return {
    slug,
    messages: createConverseAdapter(http, account.guardrail),
    embeddings: createEmbedAdapter(http, settings.outbound),
    rerank: createBedrockRerank(http),
  };
}
