/** Makes OpenAI's and Anthropic's own clients for a gateway. They never retry. */
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import type { Gateway } from './gateway.ts';

type Reached = Pick<Gateway, 'origin' | 'apiKey'>;

export function openaiClient({ origin, apiKey }: Reached, key = apiKey): OpenAI {
  return new OpenAI({ apiKey: key, baseURL: `${origin}/api/v1`, maxRetries: 0 });
}

/** It appends `/v1/messages` to its address, and sends the key in `x-api-key`. */
export function anthropicClient({ origin, apiKey }: Reached, key = apiKey): Anthropic {
  return new Anthropic({ apiKey: key, baseURL: `${origin}/api`, maxRetries: 0 });
}
