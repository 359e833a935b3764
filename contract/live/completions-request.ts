/** Validates the requests of OpenAI's older completions operation. */
import { z } from 'zod';
import { chatRequest } from './chat-request.ts';
import { orNull } from '../or-null.ts';

/** The fields of a chat that a completion lacks or has in another form. */
const {
  messages: _messages,
  tools: _tools,
  tool_choice: _choice,
  parallel_tool_calls: _parallel,
  logprobs: _logprobs,
  top_logprobs: _top,
  modalities: _modalities,
  ...shared
} = chatRequest.shape;

const NO_TOKENS = 'must be a text: a chat model cannot be sent tokens';
const ONE_PROMPT = 'must be one text: send a request for each prompt';

const prompt = z
  .union([z.string(), z.array(z.string()).length(1, ONE_PROMPT)], {
    error: ({ input }) => promptRule(input),
  })
  .meta({ description: 'One text, alone or in a list. The gateway sends it as a user message.' });

function promptRule(input: unknown): string {
  if (input === undefined) return 'is required';
  if (!Array.isArray(input)) return 'must be a text';
  return input.every((item) => typeof item === 'string') ? ONE_PROMPT : NO_TOKENS;
}

const only = <Value extends z.core.util.Literal>(value: Value, message: string) =>
  orNull(z.literal(value, message)).meta({ description: `Only \`${JSON.stringify(value)}\`.` });

const none = (message: string) => orNull(z.array(z.looseObject({})).max(0, message));

/**
 * The body of POST /completions: a chat of one message, in the fields of OpenAI's older completions. Unknown fields are
 * passed to the upstream unchanged.
 */
export const completionsRequest = z
  .looseObject({
    ...shared,
    prompt,
    suffix: only('', 'cannot be done by chat models: describe the text that follows in the prompt'),
    echo: only(false, 'must be false: chat models do not repeat the prompt'),
    best_of: orNull(z.int().min(1)).meta({ description: 'Only 1, or as many as `n`.' }),
    logprobs: only(0, 'must be 0: use POST /chat/completions for logprobs'),
    messages: none('is not supported by this operation: send prompt, or use POST /chat/completions'),
    tools: none('is not supported by this operation: use POST /chat/completions'),
  })
  .superRefine(({ best_of: best, n }, context) => {
    if (best === undefined || best === null || best === 1 || best === n) return;
    const message = 'must be 1, or as many as n: every answer that is made is returned';
    context.addIssue({ code: 'custom', path: ['best_of'], message });
  })
  .meta({ id: 'CompletionsRequest' });
