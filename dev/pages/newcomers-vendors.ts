/** Starts the stand-ins for the vendors of the page for newcomers, with the keys that a newcomer has in hand. */
import { startGeminiUpstream } from '../../test/providers/google/upstream.ts';
import { UPSTREAM_KEY } from '../../test/providers/upstream-client.ts';
import { BEDROCK_API_KEY, startBedrockCloud } from '../../test/support/bedrock-cloud.ts';
import { startOllama } from '../../test/support/own-servers.ts';

/**
 * Returns the environment that a newcomer's terminal has: keys under the names that the vendors' own programs read. The
 * addresses are those of the stand-ins. The page itself sets what Sluice reads.
 */
export async function startNewcomersVendors(): Promise<Record<string, string>> {
  const [google, bedrock, ollama] = await Promise.all([
    startGeminiUpstream(),
    startBedrockCloud(),
    startOllama({ 'llama3.2:latest': { capabilities: ['completion', 'tools'], context: 131_072 } }),
  ]);
  return {
    GEMINI_API_KEY: UPSTREAM_KEY,
    PROVIDER_GOOGLE_BASE_URL: google.baseUrl,
    AWS_BEARER_TOKEN_BEDROCK: BEDROCK_API_KEY,
    PROVIDER_BEDROCK_BASE_URL: bedrock.origin,
    OLLAMA_PORT: new URL(ollama.origin).port,
  };
}
