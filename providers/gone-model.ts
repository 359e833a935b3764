/** Recognizes errors in which a vendor says that it does not have a model, or no longer has it. */
import type { ErrorFields } from './error-fields.ts';

/** The statuses of such errors. Others with these codes are about the account, such as a 403 for a missing right. */
const STATUSES: ReadonlySet<number> = new Set([400, 404, 422]);

/** The codes of OpenAI, Azure, Groq, Together, fal, Perplexity, GitHub and Z.ai. */
const CODES: ReadonlySet<string> = new Set([
  'model_not_found',
  'DeploymentNotFound',
  'ServiceModelDeprecated',
  'ModelDeprecated',
  'model_deprecated',
  'model_decommissioned',
  'model_not_available',
  'EndpointDeprecated',
  'invalid_model',
  'unknown_model',
  '1211',
]);

/**
 * Matches messages that begin with the model, under the status 404. A message that quotes the request in its middle
 * does not count, so that no caller can bring it about.
 *
 * - `model: claude-3-opus-20240229` (Anthropic)
 * - `models/gemini-1.5-flash is not found for API version v1beta` (Google)
 * - `This model models/gemini-3-pro-preview is no longer available.` (Google)
 * - ``Publisher Model `projects/…/models/gemini-3-pro` was not found`` (Vertex AI)
 * - `The model 'deepseek-ai/deepseek-v4-pro' has reached its end of life` (Nvidia)
 * - `Model not found, inaccessible, and/or not deployed` (Fireworks)
 * - `This model version has reached the end of its life.` (Bedrock)
 * - `Not found the model kimi-k2 or Permission denied` (Moonshot)
 * - `No endpoints found for acme/one.` (OpenRouter; with other words it is about the request)
 * - `Function '23d4f03a-…': Not found for account '…'` (Nvidia)
 */
const ABOUT_A_MODEL =
  /^(?:(?:the|this|requested|unknown|invalid|publisher|not found) )*(?:models?|deployment)\b|^No endpoints found for (?:this model|\S+?)\.?$|^Function '[^']*': Not found for account\b/i;

/**
 * Matches messages under the status 400 that have no code of their own, of DeepSeek, Bedrock, Mistral, OpenRouter,
 * Hugging Face and Z.ai. Callers do not choose the name of the model that they contain.
 */
const NOT_EXISTING =
  /^(?:Model Not Exist|The provided model identifier is invalid)\b|^Invalid model: \S*$|^\S+ is not a valid model ID$|^The requested model '[^']*' is not supported by any provider\b|^(?:\[1214\]\[)?modelCode: does not exist\b/i;

/** Matches Bedrock's message for a model that the account has not been given, under the status 403. */
const NOT_GIVEN = /^You don't have access to the model\b/i;

/** Returns whether the error says that the vendor does not have the model. */
export function saysModelIsGone(status: number, { code, message = '' }: ErrorFields): boolean {
  if (status === 410) return true;
  if (status === 403) return NOT_GIVEN.test(message);
  if (!STATUSES.has(status)) return false;
  if (CODES.has(code ?? '') || NOT_EXISTING.test(message)) return true;
  return status === 404 && ABOUT_A_MODEL.test(message);
}
