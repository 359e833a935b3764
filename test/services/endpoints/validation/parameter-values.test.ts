import { expect, test } from '@jest/globals';
import { valuesOf } from '../../../../services/endpoints/validation/parameter-values.ts';

test('sends the newer of two limits of tokens', () => {
  expect(Object.keys(valuesOf(['max_completion_tokens', 'max_tokens']))).toEqual(['max_completion_tokens']);
});

test.each([[['structured_outputs', 'response_format']], [['response_format', 'structured_outputs']]])(
  'asks for a schema where %j are declared',
  (declared) => {
    expect(valuesOf(declared)).toMatchObject({ response_format: { type: 'json_schema' } });
  },
);

test.each(['tool_choice', 'parallel_tool_calls', 'tools'])('sends a tool with %s', (name) => {
  expect(valuesOf([name])).toMatchObject({ tools: [{ type: 'function' }] });
});

test('sends log probabilities with their number', () => {
  expect(valuesOf(['top_logprobs'])).toEqual({ logprobs: true, top_logprobs: 1 });
});

test.each(['acme_knob', 'constructor', '__proto__'])('leaves out %s, which it does not know', (name) => {
  expect(valuesOf([name])).toEqual({});
});
