/** Azure's paths, of all its deployments together and of one with its version of the API in the query. */
const AZURE = /^\/openai\/(?:v1|deployments\/[^/]+)\//;

/** Returns the path on OpenAI's wire that a path stands for: clients of Azure OpenAI ask for the same elsewhere. */
export function openAiPath(path: string): string {
  return path.replace(AZURE, '/v1/');
}
