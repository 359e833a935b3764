/** Provider slugs of catalogs whose conventional name differs. */
const NAMES = new Map<string, string>([
  ['amazon-bedrock', 'aws.bedrock'],
  ['aws-bedrock', 'aws.bedrock'],
  ['bedrock', 'aws.bedrock'],
  ['azure', 'azure.ai.openai'],
  ['azure-openai', 'azure.ai.openai'],
  ['azure-ai', 'azure.ai.inference'],
  ['azure-inference', 'azure.ai.inference'],
  ['gemini', 'gcp.gemini'],
  ['google', 'gcp.gen_ai'],
  ['google-ai-studio', 'gcp.gemini'],
  ['google-vertex', 'gcp.vertex_ai'],
  ['vertex', 'gcp.vertex_ai'],
  ['vertex-ai', 'gcp.vertex_ai'],
  ['ibm', 'ibm.watsonx.ai'],
  ['watsonx', 'ibm.watsonx.ai'],
  ['mistral', 'mistral_ai'],
  ['mistralai', 'mistral_ai'],
  ['moonshot', 'moonshot_ai'],
  ['moonshotai', 'moonshot_ai'],
  ['x-ai', 'x_ai'],
  ['xai', 'x_ai'],
]);

/**
 * Returns the name that the conventions give a provider, else its slug. Slugs such as `openai`, `anthropic`, `cohere`,
 * `deepseek`, `groq` and `perplexity` are the conventions' own names already.
 */
export function providerName(slug: string): string {
  return NAMES.get(slug) ?? slug;
}
