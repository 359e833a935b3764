/** Puts the gateway's own ids, usage and price into a response for the caller. */
import type { Fields } from '../../../domain/fields.ts';
import type { OpenGeneration } from '../generation.ts';
import type { Answered } from '../pipeline/live-operation.ts';
import type { ShownUsage } from '../token-usage.ts';
import type { ReadResponse } from './responses-body.ts';

/** The gateway's own values in every response object of one answer. */
export interface ResponseStamp {
  id: string;
  model: string;
  provider: string;
  instructions: string | null;
  store: false;
}

/** Returns the gateway's own values for the answer to a request. */
export function stampOf(
  { id }: OpenGeneration,
  { instructions }: ReadResponse,
  { target, providerName }: Pick<Answered<unknown>, 'target' | 'providerName'>,
): ResponseStamp {
  return { id, model: target.model.id, provider: providerName, instructions, store: false };
}

/** Keys that clients expect in every response, with their values when the upstream leaves them out. */
const ALWAYS_THERE: Readonly<Fields> = {
  completed_at: null,
  error: null,
  incomplete_details: null,
  metadata: {},
  output: [],
  parallel_tool_calls: true,
  tool_choice: 'auto',
  tools: [],
  temperature: null,
  top_p: null,
  presence_penalty: null,
  frequency_penalty: null,
};

/** Presents the upstream's response by replacing fields in place; no other code holds the object. */
export function stampResponse(response: Fields, stamp: ResponseStamp): Fields {
  Object.assign(response, stamp);
  response['object'] = 'response';
  response['created_at'] ??= Math.floor(Date.now() / 1_000);
  response['status'] ??= 'completed';
  for (const name in ALWAYS_THERE) response[name] ??= ALWAYS_THERE[name];
  // This field shows whom the upstream charges, which only concerns the operator.
  delete response['billing'];
  return response;
}

/** Returns usage and price under the names of a response. */
export function presentResponsesUsage(shown: ShownUsage): Fields {
  const { cost_details: costs, server_tool_use_details: tools } = shown;
  return {
    input_tokens: shown.prompt_tokens,
    input_tokens_details: shown.prompt_tokens_details,
    output_tokens: shown.completion_tokens,
    output_tokens_details: shown.completion_tokens_details,
    total_tokens: shown.total_tokens,
    cost: shown.cost,
    is_byok: shown.is_byok,
    is_estimated: shown.is_estimated,
    cost_details: {
      upstream_inference_cost: costs.upstream_inference_cost,
      upstream_inference_input_cost: costs.upstream_inference_prompt_cost,
      upstream_inference_output_cost: costs.upstream_inference_completions_cost,
    },
    server_tool_use_details: tools,
  };
}
