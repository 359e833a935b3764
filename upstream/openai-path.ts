/** Matches Azure's paths: those for all deployments, and those of one deployment with the API version in the query. */
const AZURE = /^\/openai\/(?:v1|deployments\/[^/]+)\//;

/** Returns the path on OpenAI's wire for a request's path, which clients of Azure OpenAI write differently. */
export function openAiPath(path: string): string {
  return path.replace(AZURE, '/v1/');
}
